// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! `acclmt serve` as a process, the backend `socket:PATH`, and a client in C.

#![cfg(unix)]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

fn program(arguments: &[&str]) -> Command {
    // Signals end it even if these tests were started to ignore them.
    let mut command = Command::new("env");
    command.args(["--default-signal=INT,TERM", env!("CARGO_BIN_EXE_acclmt")]);
    command.args(arguments).stdin(Stdio::null());
    command
}

const HELLO: &[u8] = b"\x01\0\0\0\x10\0\0\0ACCLMTSV\x01\0\0\0\0\0\0\0";

/// Kind and bytes of the next answer.
#[track_caller]
fn answer(stream: &mut UnixStream) -> (u32, Vec<u8>) {
    let mut header = [0; 8];
    stream.read_exact(&mut header).expect("an answer");
    let [kind, length] = [0, 4].map(|at| {
        let bytes = [0, 1, 2, 3].map(|byte| header[at + byte]);
        u32::from_le_bytes(bytes)
    });
    let mut bytes = vec![0; length as usize];
    stream.read_exact(&mut bytes).expect("an answer");
    (kind, bytes)
}

/// The end of a process that is about to end.
#[track_caller]
fn end_of(child: &mut Child) -> ExitStatus {
    let began = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("the process is there") {
            return status;
        }
        if began.elapsed() > Duration::from_secs(60) {
            let _ = child.kill();
            panic!("the process does not end");
        }
        thread::sleep(Duration::from_millis(20));
    }
}

fn run(arguments: &[&str]) -> Output {
    program(arguments).output().expect("the program starts")
}

#[track_caller]
fn succeeds(arguments: &[&str]) -> String {
    let output = run(arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).expect("text")
}

/// What the software says of the tree of a file.
fn commit_by_software(file: &Path) -> serde_json::Value {
    let file = file.to_str().expect("text");
    let arguments = ["commit", file, "--preset", "filecoin-arity-2"];
    let json = succeeds(&[&arguments[..], &["--backend", "software", "--json"]].concat());
    serde_json::from_str(&json).expect("JSON")
}

/// The exit code and the error of a command that fails.
#[track_caller]
fn fails(arguments: &[&str]) -> (i32, String) {
    let output = run(arguments);
    assert!(!output.status.success(), "{arguments:?}");
    let code = output.status.code().expect("no signal");
    (code, String::from_utf8_lossy(&output.stderr).into_owned())
}

/// A server of the model in a process of its own.
struct Server {
    child: Child,
    folder: TempDir,
}

impl Server {
    fn new(more: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let socket = folder.path().join("chip");
        let mut child = program(&["serve", "--backend", "model", "--socket"])
            .arg(&socket)
            .args(more)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        let output = child.stdout.as_mut().expect("a pipe");
        BufReader::new(output).read_line(&mut line).expect("a line");
        assert!(line.contains("chip"), "{line}");
        Self { child, folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn socket(&self) -> String {
        self.path("chip").to_str().expect("text").to_owned()
    }

    fn backend(&self) -> String {
        format!("socket:{}", self.socket())
    }

    /// A connection that has said hello.
    fn greet(&self) -> UnixStream {
        let mut stream = UnixStream::connect(self.path("chip")).expect("a server");
        let time = Some(Duration::from_secs(60));
        stream.set_read_timeout(time).expect("a time");
        stream.write_all(HELLO).expect("a server");
        stream
    }

    fn signal(&mut self, signal: &str) -> Option<i32> {
        let id = self.child.id().to_string();
        let kill = Command::new("kill").args([signal, &id]).status();
        assert!(kill.expect("kill starts").success());
        self.child.wait().expect("the server ends").code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn every_command_works_over_the_socket() {
    let mut server = Server::new(&[]);
    let backend = server.backend();
    let with = |arguments: &[&str]| succeeds(&[arguments, &["--backend", &backend]].concat());
    let software = |arguments: &[&str]| succeeds(&[arguments, &["--backend", "software"]].concat());
    for preset in ["filecoin-arity-2", "filecoin-arity-4"] {
        let inputs = ["0x01", "0x02", "0x03", "0x04"];
        let count = if preset.ends_with('2') { 2 } else { 4 };
        let arguments = [&["hash", "--preset", preset][..], &inputs[..count]].concat();
        assert_eq!(with(&arguments), software(&arguments));
    }
    let file = server.path("elements");
    let file = file.to_str().expect("text");
    succeeds(&["generate", "--elements", "64", "--seed", "7", file]);
    let root = |text: String| {
        let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        value["root"].clone()
    };
    let arguments = ["commit", file, "--preset", "filecoin-arity-2", "--json"];
    let found = root(with(&arguments));
    assert!(found.is_string() || found.is_array(), "{found}");
    assert_eq!(found, root(software(&arguments)));
    // Commands that measure open more than one chip, one after the other.
    let model = |arguments: &[&str]| succeeds(&[arguments, &["--backend", "model"]].concat());
    for arguments in [
        &["bench", "engine", "--preset", "filecoin-arity-2", "--json"][..],
        &["bench", "tree", "--leaves", "64", "--json"],
    ] {
        let found = with(arguments).replace(&backend, "model");
        assert_eq!(found, model(arguments));
    }
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors");
    let vectors = vectors.join("neptune_bls12_381_merkle_arity2.json");
    let found = with(&["check", vectors.to_str().expect("text")]);
    assert!(found.contains("pass") || found.contains("ok"), "{found}");

    let file = fs::metadata(server.path("chip")).expect("the socket");
    assert_eq!(file.permissions().mode() & 0o777, 0o600);
    assert_eq!(server.signal("-TERM"), Some(143));
    assert!(!server.path("chip").exists());
}

#[test]
fn an_interrupt_removes_the_socket() {
    let mut server = Server::new(&["--json", "--idle-timeout", "0"]);
    assert_eq!(server.signal("-INT"), Some(130));
    assert!(!server.path("chip").exists());
}

/// Clients hear that the server ends, those that wait as well.
#[test]
fn a_signal_ends_the_server_in_order() {
    for (signal, code) in [("-TERM", 143), ("-INT", 130)] {
        let mut server = Server::new(&[]);
        let mut first = server.greet();
        assert_eq!(answer(&mut first).0, 0x81);
        let mut second = server.greet();
        assert_eq!(answer(&mut second).0, 0x82);
        assert_eq!(server.signal(signal), Some(code));
        assert!(!server.path("chip").exists());
        for client in [&mut first, &mut second] {
            let answers = std::iter::repeat_with(|| answer(client));
            let (_, bytes) = { answers }.find(|(kind, _)| *kind == 0xFF).expect("an end");
            assert_eq!(bytes[..4], 10_u32.to_le_bytes());
            assert_eq!(&bytes[4..], b"the server ends");
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_server_that_cannot_say_where_it_is_ends() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let socket = folder.path().join("chip");
    let full = fs::File::create("/dev/full").expect("a device");
    let mut child = program(&["serve", "--backend", "model", "--socket"])
        .arg(&socket)
        .stdout(full)
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    assert_eq!(end_of(&mut child).code(), Some(1));
    let mut error = String::new();
    let mut output = child.stderr.take().expect("a pipe");
    output.read_to_string(&mut error).expect("text");
    assert!(error.contains("No space left"), "{error}");
    assert!(!socket.exists());
}

/// What happens is not kept for readers who do not come, and they are told so.
#[test]
fn events_that_nobody_reads_are_counted() {
    let mut server = Server::new(&[]);
    // More than the pipe holds, and the server keeps.
    for _ in 0..3000 {
        let mut client = UnixStream::connect(server.path("chip")).expect("a server");
        client.write_all(b"\x63\0\0\0\0\0\0\0").expect("a server");
        let mut answer = Vec::new();
        client.read_to_end(&mut answer).expect("an answer");
        assert_eq!(answer[0], 0xFF);
    }
    let output = server.child.stdout.take().expect("a pipe");
    let lines = BufReader::new(output).lines().map_while(Result::ok);
    let skipped: u64 = { lines }
        .take(3000)
        .find_map(|line| {
            let count = line.split_once("not told: ")?.1.split_once(' ')?.0;
            count.parse().ok()
        })
        .expect("a line that counts them");
    assert!((1..3000).contains(&skipped), "{skipped}");
}

/// A command whose input comes slowly keeps its session.
#[test]
fn slow_input_keeps_the_session() {
    let server = Server::new(&["--idle-timeout", "2"]);
    let file = server.path("elements");
    let file = file.to_str().expect("text");
    succeeds(&["generate", "--elements", "128", file]);
    let bytes = fs::read(file).expect("the file is there");
    let mut child = program(&[
        "commit",
        "-",
        "--leaves",
        "64",
        "--preset",
        "filecoin-arity-2",
    ])
    .args(["--json", "--backend", &server.backend()])
    .stdin(Stdio::piped())
    .stdout(Stdio::piped())
    .stderr(Stdio::piped())
    .spawn()
    .expect("the program starts");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(&bytes[..1024]).expect("it reads");
    thread::sleep(Duration::from_secs(6));
    // A command that has failed does not read this.
    let _ = input.write_all(&bytes[1024..]);
    drop(input);
    let output = child.wait_with_output().expect("the program ends");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    let root = |text: &[u8]| {
        let value: serde_json::Value = serde_json::from_slice(text).expect("JSON");
        value["root"].clone()
    };
    let software = ["commit", file, "--preset", "filecoin-arity-2", "--json"];
    let expected = succeeds(&[&software[..], &["--backend", "software"]].concat());
    assert_eq!(root(&output.stdout), root(expected.as_bytes()));
}

#[test]
fn what_does_not_work_is_said() {
    let mut server = Server::new(&[]);
    let serve = |arguments: &[&str]| {
        let (code, error) = fails(&[&["serve"], arguments].concat());
        (code, error)
    };
    let (code, error) = serve(&["--backend", "model", "--socket", &server.socket()]);
    assert_eq!(code, 1);
    assert!(error.contains("a server listens on it"), "{error}");
    let other = server.path("other");
    let other = other.to_str().expect("text");
    let (code, error) = serve(&["--backend", "software", "--socket", other]);
    assert_eq!(code, 2);
    assert!(error.contains("has no chip to serve"), "{error}");
    let (code, error) = serve(&["--backend", "model", "--field", "p256", "--socket", other]);
    assert_eq!(code, 2);
    assert!(
        error.contains("'p256'") && error.contains("bls12-381"),
        "{error}"
    );

    let hash = |backend: &str| {
        fails(&[
            "hash",
            "--preset",
            "filecoin-arity-2",
            "1",
            "2",
            "--backend",
            backend,
        ])
    };
    let (code, error) = hash(&format!("socket:{other}"));
    assert_eq!(code, 2, "{error}");
    let hash = |backend: &str, preset: &str| {
        let inputs = ["0x01", "0x02"];
        fails(
            &[
                &["hash", "--preset", preset, "--backend", backend][..],
                &inputs,
            ]
            .concat(),
        )
    };
    let (code, error) = hash(&format!("socket:{other}"), "filecoin-arity-2");
    assert_eq!(code, 1);
    assert!(error.contains("there is no socket"), "{error}");
    let (code, error) = hash("sock:x", "filecoin-arity-2");
    assert_eq!(code, 2);
    assert!(error.contains("socket:PATH"), "{error}");
    let (code, error) = hash("uio:/dev/uio999", "filecoin-arity-2");
    assert_eq!(code, 1);
    assert!(error.contains("there is no device /dev/uio999"), "{error}");
    let (code, error) = hash("uio:/dev/null", "filecoin-arity-2");
    assert_eq!(code, 1);
    assert!(error.contains("/dev/null is no UIO device"), "{error}");
    let out = server.path("timeline");
    let out = out.to_str().expect("text");
    let trace = ["trace", "--preset", "filecoin-arity-2", "--out", out];
    let (code, error) = fails(&[&trace[..], &["--backend", &server.backend()]].concat());
    assert_eq!(code, 1, "{error}");
    assert!(error.contains("tells no timeline"), "{error}");
    assert!(!error.contains("device 'model'"), "{error}");
    // A chip of another prime.
    let (code, error) = hash(&server.backend(), "circom-bn254-arity-2");
    assert_eq!(code, 1, "{error}");

    // A server that was killed leaves its socket, which neither side takes for one that is in use.
    server.signal("-KILL");
    let (_, error) = hash(&server.backend(), "filecoin-arity-2");
    assert!(error.contains("nobody listens"), "{error}");
    let (_, error) = serve(&["--backend", "model", "--socket", &server.socket()]);
    assert!(error.contains("nobody listens on it"), "{error}");
    assert!(server.path("chip").exists());
}

#[test]
fn a_server_that_goes_in_mid_run_leaves_no_half_tree() {
    let mut server = Server::new(&[]);
    let file = server.path("elements");
    let tree = server.path("tree");
    succeeds(&[
        "generate",
        "--elements",
        "262144",
        file.to_str().expect("text"),
    ]);
    let child = program(&["commit", file.to_str().expect("text")])
        .args([
            "--preset",
            "filecoin-arity-2",
            "--backend",
            &server.backend(),
        ])
        .arg("--tree-out")
        .arg(&tree)
        .stderr(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // The run takes minutes; its tree has begun when there is a third file.
    let names = || {
        fs::read_dir(server.folder.path())
            .expect("the folder")
            .count()
    };
    let began = Instant::now();
    while names() < 3 {
        assert!(began.elapsed().as_secs() < 60, "the tree does not begin");
        thread::sleep(Duration::from_millis(20));
    }
    thread::sleep(Duration::from_millis(300));
    server.signal("-KILL");
    let output = child.wait_with_output().expect("the program ends");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("the server at"), "{error}");
    assert!(!tree.exists());
    assert_eq!(names_of(server.folder.path()), ["chip", "elements"]);
}

fn names_of(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    let mut names: Vec<_> = entries
        .map(|entry| entry.expect("an entry").file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// The C program of docs/examples/c sends the register writes of the first hash, and prints its digest.
#[test]
fn a_client_in_c_gets_the_first_hash() {
    let server = Server::new(&[]);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let client = server.path("first_hash");
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let mut words = compiler.split_whitespace();
    let mut compile = Command::new(words.next().expect("CC names a compiler"));
    let compiled = compile
        .args(words)
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-I"])
        .arg(root.join("rtl/registers"))
        .arg("-I")
        .arg(root.join("sim-rs/serve/include"))
        .arg("-o")
        .arg(&client)
        .arg(root.join("docs/examples/c/first_hash.c"))
        .output()
        .expect("a C compiler is there");
    let errors = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{errors}");
    let script = root.join("docs/examples/first-hash.txt");
    let run = |script: &Path| {
        let output = Command::new(&client)
            .arg(server.socket())
            .arg(script)
            .output();
        let output = output.expect("the client starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (
            output.status.success(),
            text(&output.stdout),
            text(&output.stderr),
        )
    };
    let (is_good, found, errors) = run(&script);
    assert!(is_good, "{errors}");
    // The tree of the elements 1 to 8, by the software.
    let file = server.path("elements");
    let elements = (1..=8_u8).flat_map(|value| {
        let mut word = [0; 32];
        word[0] = value;
        word
    });
    fs::write(&file, elements.collect::<Vec<u8>>()).expect("the file is written");
    let value = commit_by_software(&file);
    let root = value["root"].to_string();
    let digest = found
        .trim()
        .strip_prefix("level 2 ")
        .expect("a line of level 2");
    assert!(root.contains(digest), "{root}, {found}");

    // Another digest than the file says, and a file that is none.
    let text = fs::read_to_string(&script).expect("the file is there");
    let wrong = server.path("wrong");
    fs::write(&wrong, text.replace("out 2 2d", "out 2 2e")).expect("written");
    let (is_good, _, errors) = run(&wrong);
    assert!(
        !is_good && errors.contains("another word came out"),
        "{errors}"
    );
    fs::write(&wrong, "write 40\n").expect("written");
    let (is_good, _, errors) = run(&wrong);
    assert!(!is_good && errors.contains("line 1"), "{errors}");
}

/// A tree on two served chips and one of this program, one of which is gone in the middle.
#[test]
fn a_tree_is_built_on_several_chips() {
    let mut gone = Server::new(&[]);
    let stays = Server::new(&[]);
    let elements: Vec<u8> = (0..1_u64 << 12)
        .flat_map(|number| {
            let mut word = [0; 32];
            word[..8].copy_from_slice(&number.to_le_bytes());
            word
        })
        .collect();
    let file = stays.path("elements");
    fs::write(&file, &elements).expect("a file");
    let one = commit_by_software(&file);

    let mut commit = program(&["commit", "-", "--preset", "filecoin-arity-2", "--json"])
        .args(["--leaves", "2048"])
        .args(["--backend", &gone.backend(), "--backend", &stays.backend()])
        .args(["--backend", "model"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // Sub-trees have 128 leaves of 64 bytes. Whatever the chips did before, there is more for each.
    let (first, rest) = elements.split_at(4 * 128 * 64);
    let mut input = commit.stdin.take().expect("a pipe");
    input.write_all(first).expect("the program reads");
    thread::sleep(Duration::from_millis(500));
    gone.child.kill().expect("the server is there");
    let _ = gone.child.wait();
    input.write_all(rest).expect("the program reads");
    drop(input);
    let output = commit.wait_with_output().expect("the program ends");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(result["root"], one["root"]);
    let devices = result["devices"].as_array().expect("an array");
    let failed: Vec<bool> = devices
        .iter()
        .map(|device| device["failed"].is_string())
        .collect();
    assert_eq!(failed, [true, false, false], "{result:#}");
    let sub_trees = devices.iter().map(|device| device["sub_trees"].as_u64());
    assert_eq!(sub_trees.sum::<Option<u64>>(), Some(16));
    assert!(errors.contains("note: device 0, 'socket:"), "{errors}");
}
