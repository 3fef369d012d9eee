// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! A server that has no files left; the limit is that of a process, which this test has to itself.

#![cfg(unix)]

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::Duration;

use acclmt_driver::chip::ChipPort;
use acclmt_model::{ComputingChip, Hardware};
use acclmt_serve::{Event, Options, Server};
use rustix::process::{Resource, getrlimit, setrlimit};

/// Longer than anything here takes.
const LONG: Duration = Duration::from_secs(60);

const HELLO: &[u8] = b"\x01\0\0\0\x10\0\0\0ACCLMTSV\x01\0\0\0\0\0\0\0";

/// Says hello and waits for the welcome.
fn greet(client: &mut UnixStream) {
    client.set_read_timeout(Some(LONG)).unwrap();
    client.write_all(HELLO).unwrap();
    let mut kind = [0; 4];
    client.read_exact(&mut kind).unwrap();
    assert_eq!(u32::from_le_bytes(kind), 0x81);
}

#[test]
fn a_server_without_files_waits_for_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chip");
    let options = |waiting| Options {
        waiting,
        ..Options::default()
    };
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = Some(64);
    setrlimit(Resource::Nofile, limit).unwrap();
    // Files and clients of this limit are told of.
    let server = Server::bind(&path, options(1000)).unwrap();
    let [note] = &server.notes()[..] else {
        panic!("it has a note")
    };
    assert!(
        note.contains("2004 connections at a time: there are 48"),
        "{note}"
    );
    assert!(note.contains("ulimit -n 2020"), "{note}");
    drop(server);
    let server = Server::bind(&path, options(4)).unwrap();
    assert_eq!(server.notes(), [""; 0]);

    let stopper = server.stopper();
    let (sender, events) = mpsc::channel();
    let thread = thread::spawn(move || {
        let open = || {
            let chip = ComputingChip::new(Hardware::default()).unwrap();
            Ok(Box::new(chip) as Box<dyn ChipPort>)
        };
        let sender = Mutex::new(sender);
        let tell = |event| drop(sender.lock().unwrap().send(event));
        server.run(&open, &tell)
    });
    let mut first = UnixStream::connect(&path).unwrap();
    greet(&mut first);
    assert_eq!(events.recv_timeout(LONG), Ok(Event::Began { session: 1 }));

    let mut files: Vec<_> = (0..).map_while(|_| File::open("/dev/null").ok()).collect();
    // This side of another client takes the only file that is left.
    files.pop();
    let mut second = UnixStream::connect(&path).unwrap();
    let event = events.recv_timeout(LONG).unwrap();
    let Event::Exhausted { problem } = &event else {
        panic!("{event:?}")
    };
    assert!(problem.contains("Too many open files"), "{problem}");
    // The session goes on, and the other client is served when there are files again.
    first.write_all(b"\x07\0\0\0\0\0\0\0").unwrap();
    let ended = events.recv_timeout(LONG).unwrap();
    assert!(
        matches!(ended, Event::Ended { problem: None, .. }),
        "{ended:?}"
    );
    files.clear();
    greet(&mut second);
    assert_eq!(events.recv_timeout(LONG), Ok(Event::Began { session: 2 }));
    stopper.stop();
    thread.join().unwrap().unwrap();
}
