// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The program as a process: signals, pipes, and what it leaves behind.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

/// The program with these arguments, and nothing on its standard input.
fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_acclmt"));
    command.args(arguments).stdin(Stdio::null());
    command
}

fn run(arguments: &[&str]) -> Output {
    program(arguments).output().expect("the program starts")
}

struct Files(TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().expect("a path of text").to_owned()
    }

    /// Names of the files.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("the folder is there");
        entries
            .map(|entry| entry.expect("an entry").file_name())
            .map(|name| name.to_string_lossy().into_owned())
            .collect()
    }
}

/// Starts to write a file that takes hours, and returns when there is something of it. Signals end it even if
/// these tests were started to ignore them, as a shell does with what runs in the background.
fn writing(files: &Files) -> Child {
    let mut generate = if cfg!(target_os = "linux") {
        let mut env = Command::new("env");
        env.args(["--default-signal=INT,TERM", env!("CARGO_BIN_EXE_acclmt")]);
        env
    } else {
        program(&[])
    };
    let file = files.text("elements");
    let child = generate
        .args(["generate", &file, "--elements", "4294967295"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    while files.names().is_empty() {
        thread::sleep(Duration::from_millis(10));
    }
    child
}

/// An interrupted run leaves nothing, and what a killed one leaves is in nobody's way.
#[test]
fn stopped_runs_block_no_other() {
    let files = Files::new();
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        let mut child = writing(&files);
        let process = child.id().to_string();
        let sent = Command::new("kill").args([signal, &process]).status();
        assert!(sent.expect("there is a kill").success());
        let status = child.wait().expect("the program ends");
        assert_eq!(status.code(), Some(code));
        assert!(files.names().is_empty(), "{:?}", files.names());
    }
    let mut child = writing(&files);
    child.kill().expect("the program is killed");
    child.wait().expect("the program ends");
    let left = files.names();
    assert!(
        left.len() == 1 && left[0].starts_with(".acclmt-"),
        "{left:?}"
    );
    let again = run(&["generate", &files.text("elements"), "--elements", "4"]);
    assert!(again.status.success(), "{again:?}");
    assert!(files.names().contains(&"elements".to_owned()));
}

/// As `acclmt presets --json | head -1`.
#[test]
fn results_may_be_left_unread() {
    let mut child = program(&["presets", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut line = String::new();
    stdout.read_line(&mut line).expect("a line");
    drop(stdout);
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!((line.as_str(), output.status.code()), ("{\n", Some(0)));
    assert!(output.stderr.is_empty(), "{output:?}");
}

/// As `false | acclmt commit - --pack --leaves 4096`.
#[test]
fn a_producer_that_sends_nothing_is_an_error() {
    let commit = ["commit", "-", "--preset", "filecoin-arity-2", "--pack"];
    let software = ["--backend", "software"];
    for (more, part) in [
        (&["--leaves", "4096"][..], "early"),
        (&[], "standard input is empty"),
    ] {
        let output = run(&[&commit[..], &software, more].concat());
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(
            error.starts_with("error: ") && error.contains(part),
            "{error}"
        );
        assert!(output.stdout.is_empty(), "{output:?}");
    }
}

/// An input that is redirected into the program is not overwritten either.
#[test]
fn standard_input_is_no_output() {
    let files = Files::new();
    let file = files.text("elements");
    assert!(
        run(&["generate", &file, "--elements", "4"])
            .status
            .success()
    );
    let before = fs::read(&file).expect("the file is there");
    let commit = [
        "commit",
        "-",
        "--preset",
        "filecoin-arity-2",
        "--tree-out",
        &file,
    ];
    let input = fs::File::open(&file).expect("the file is there");
    let output = program(&commit)
        .stdin(input)
        .output()
        .expect("the program starts");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("is the same file as the input"), "{error}");
    assert_eq!(fs::read(&file).expect("the file is there"), before);
}
