// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The server with the model behind it: sessions, queues, clients that die, and hostile ones.

#![cfg(unix)]

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use acclmt_driver::chip::{ChipDevice, ChipPort, OutputWord, PortError, RunPlan, suite};
use acclmt_driver::device::{CommitRequest, Device, LeafRule, NoProgress, WordSource};
use acclmt_driver::nodes::NoNodes;
use acclmt_driver::software::SoftwareDevice;
use acclmt_model::{ComputingChip, Hardware};
use acclmt_poseidon::presets;
use acclmt_poseidon::word::{self, Word};
use acclmt_serve::{Event, Options, Server, SocketPort, Stopper};
use rand::{Rng as _, RngCore as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// Longer than anything here takes.
const LONG: Duration = Duration::from_secs(60);

const HELLO: &[u8] = b"\x01\0\0\0\x10\0\0\0ACCLMTSV\x01\0\0\0\0\0\0\0";

/// A server in a thread.
struct Served {
    folder: tempfile::TempDir,
    path: PathBuf,
    stopper: Stopper,
    events: Receiver<Event>,
    thread: Option<JoinHandle<()>>,
}

impl Served {
    fn new(options: Options) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("chip");
        Self::at(folder, path, options)
    }

    /// The server of the socket at `path`, and a folder that is removed after it.
    fn at(folder: tempfile::TempDir, path: PathBuf, options: Options) -> Self {
        let open = || {
            let chip = ComputingChip::new(Hardware::default()).unwrap();
            Box::new(chip) as Box<dyn ChipPort>
        };
        Self::of(open, folder, path, options)
    }

    /// The same with a chip of another kind.
    fn of(
        open: impl Fn() -> Box<dyn ChipPort> + Send + Sync + 'static,
        folder: tempfile::TempDir,
        path: PathBuf,
        options: Options,
    ) -> Self {
        let server = Server::bind(&path, options).unwrap();
        let stopper = server.stopper();
        let (sender, events) = mpsc::channel();
        let thread = thread::spawn(move || {
            let open = || Ok(open());
            let sender = std::sync::Mutex::new(sender);
            let tell = |event| drop(sender.lock().unwrap().send(event));
            server.run(&open, &tell).unwrap();
        });
        Self {
            folder,
            path,
            stopper,
            events,
            thread: Some(thread),
        }
    }

    fn path(&self) -> PathBuf {
        self.path.clone()
    }

    fn connect(&self) -> SocketPort {
        SocketPort::connect(&self.path(), &mut |_| ()).unwrap()
    }

    fn raw(&self) -> UnixStream {
        let stream = UnixStream::connect(self.path()).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        stream
    }

    /// The next event that `wanted` takes.
    fn event<T>(&self, wanted: impl Fn(Event) -> Option<T>) -> T {
        let until = Instant::now() + LONG;
        loop {
            match self.events.recv_timeout(until - Instant::now()) {
                Ok(event) => {
                    if let Some(found) = wanted(event) {
                        return found;
                    }
                }
                Err(RecvTimeoutError::Timeout) => panic!("no such event"),
                Err(RecvTimeoutError::Disconnected) => panic!("the server has ended"),
            }
        }
    }

    /// Why the next session that ends does so.
    fn problem(&self) -> Option<String> {
        self.event(|event| match event {
            Event::Ended { problem, .. } => Some(problem),
            _ => None,
        })
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stopper.stop();
        let ended = self.thread.take().map(JoinHandle::join);
        if !thread::panicking() {
            ended.unwrap().unwrap();
            assert!(!self.path().exists(), "the socket is left");
        }
    }
}

/// The tests are stopped by nothing that a client does not do.
fn options() -> Options {
    Options {
        idle: Some(LONG),
        message: LONG,
        waiting: 4,
    }
}

/// A commitment over the port equals that of the software.
fn check_commit(port: SocketPort) {
    let set = presets::by_name("filecoin-arity-2").unwrap();
    let request = CommitRequest::new(set, LeafRule::Hash(set), 8);
    let words: Vec<_> = (1..=16).map(word::from_u64).collect();
    let commit = |device: &mut dyn Device| {
        let source = &mut WordSource(&words);
        let report = device.commit(&request, source, &mut NoNodes, &mut NoProgress);
        report.unwrap().cap
    };
    let mut device = ChipDevice::new(port).unwrap();
    assert_eq!(commit(&mut device), commit(&mut SoftwareDevice::new()));
}

/// A message by its bytes.
fn message(kind: u32, bytes: &[u8]) -> Vec<u8> {
    let mut message = kind.to_le_bytes().to_vec();
    message.extend((bytes.len() as u32).to_le_bytes());
    message.extend(bytes);
    message
}

/// Kind and bytes of the next answer; nothing at the end.
fn answer(stream: &mut UnixStream) -> Option<(u32, Vec<u8>)> {
    let mut header = [0; 8];
    stream.read_exact(&mut header).ok()?;
    let [kind, length] =
        [0, 4].map(|at| u32::from_le_bytes(header[at..at + 4].try_into().unwrap()));
    let mut bytes = vec![0; length as usize];
    stream.read_exact(&mut bytes).ok()?;
    Some((kind, bytes))
}

/// The error that closes the connection, and its text.
fn refusal(stream: &mut UnixStream) -> (u32, String) {
    loop {
        let (kind, bytes) = answer(stream).expect("an error comes before the end");
        if kind == 0xFF {
            assert_eq!(answer(stream), None, "the connection is closed");
            let code = u32::from_le_bytes(bytes[..4].try_into().unwrap());
            return (code, String::from_utf8(bytes[4..].to_vec()).unwrap());
        }
    }
}

#[test]
fn the_suite_of_ports_passes() {
    let served = Served::new(options());
    suite::run(served.connect(), 5);
    assert_eq!(served.problem(), None);
}

#[test]
fn a_socket_is_for_its_owner_alone() {
    let served = Served::new(options());
    let file = fs::symlink_metadata(served.path()).unwrap();
    assert!(file.file_type().is_socket());
    assert_eq!(file.permissions().mode() & 0o7777, 0o600);
    // Nothing else is left in the folder.
    assert_eq!(fs::read_dir(served.folder.path()).unwrap().count(), 1);
}

#[test]
fn what_exists_is_not_touched() {
    let bind = |path: &Path| {
        let error = Server::bind(path, options())
            .err()
            .expect("the path is taken");
        error.to_string()
    };
    let served = Served::new(options());
    let message = bind(&served.path());
    assert!(message.contains("a server listens on it"), "{message}");
    check_commit(served.connect());

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, "mine").unwrap();
    assert!(bind(&path).contains("is no socket"));
    assert_eq!(fs::read(&path).unwrap(), b"mine");

    let path = folder.path().join("stale");
    drop(UnixListener::bind(&path).unwrap());
    let message = bind(&path);
    assert!(message.contains("nobody listens on it"), "{message}");
    assert!(message.contains("remove the socket"), "{message}");
    assert!(path.exists());

    let path = folder.path().join("link");
    std::os::unix::fs::symlink("nothing", &path).unwrap();
    assert!(bind(&path).contains("is no socket"));

    let message = bind(&folder.path().join("none/chip"));
    assert!(message.contains("make the folder first"), "{message}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
}

/// A path in `folder` of so many bytes.
fn path_of(folder: &Path, bytes: usize) -> PathBuf {
    let used = folder.as_os_str().len() + 1;
    folder.join("x".repeat(bytes - used))
}

/// The longest paths are those that clients can use, whatever they are made of.
#[test]
#[cfg(target_os = "linux")]
fn a_path_is_as_long_as_clients_can_use() {
    let folder = tempfile::tempdir().unwrap();
    let long = path_of(folder.path(), 105);
    fs::create_dir(&long).unwrap();
    for path in [path_of(folder.path(), 107), long.join("c")] {
        assert_eq!(path.as_os_str().len(), 107);
        let served = Served::at(tempfile::tempdir().unwrap(), path.clone(), options());
        check_commit(served.connect());
        let file = fs::symlink_metadata(&path).unwrap();
        assert_eq!(file.permissions().mode() & 0o7777, 0o600);
        // The folder in which it was made is gone.
        let left = fs::read_dir(path.parent().unwrap()).unwrap();
        assert!(
            left.map(Result::unwrap)
                .all(|entry| entry.path() == path || entry.path() == long)
        );
    }
    for (path, bytes) in [
        (path_of(folder.path(), 108), 108),
        (path_of(folder.path(), 128), 128),
        (long.join("cc"), 108),
    ] {
        let error = Server::bind(&path, options()).err();
        let message = error.expect("the path is too long").to_string();
        let expected = format!("its path has {bytes} bytes, that of a socket at most 107");
        assert!(message.contains(&expected), "{message}");
        assert!(!path.exists());
    }
    assert_eq!(fs::read_dir(&long).unwrap().count(), 0);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_socket_that_was_replaced_is_left() {
    let served = Served::new(options());
    let path = served.path();
    fs::rename(&path, served.folder.path().join("old")).unwrap();
    fs::write(&path, "another").unwrap();
    served.stopper.stop();
    let mut served = served;
    served.thread.take().unwrap().join().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"another");
    fs::remove_file(&path).unwrap();
    served.thread = Some(thread::spawn(|| ()));
}

#[test]
fn clients_without_a_server_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let connect = |path: &Path| {
        let port = SocketPort::connect(path, &mut |_| ());
        port.err().expect("there is no server").to_string()
    };
    let path = folder.path().join("chip");
    let message = connect(&path);
    assert!(message.contains("there is no socket"), "{message}");
    assert!(message.contains("acclmt serve --socket"), "{message}");
    drop(UnixListener::bind(&path).unwrap());
    assert!(connect(&path).contains("nobody listens"));
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(connect(&file).contains("is no socket"));
}

/// A server that answers a greeting with `reply` and goes.
fn foreign_server(reply: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chip");
    let listener = UnixListener::bind(&path).unwrap();
    let reply = reply.to_vec();
    let thread = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut hello = [0; 24];
        stream.read_exact(&mut hello).unwrap();
        assert_eq!(hello, HELLO);
        stream.write_all(&reply).unwrap();
    });
    let port = SocketPort::connect(&path, &mut |_| ());
    thread.join().unwrap();
    port.err().expect("it is another server").to_string()
}

#[test]
fn servers_of_another_kind_are_named() {
    let mut welcome = 2_u32.to_le_bytes().to_vec();
    welcome.extend([0; 12]);
    let error = foreign_server(&message(0x81, &welcome));
    assert!(error.contains("version 2 of the protocol"), "{error}");
    let mut failed = 2_u32.to_le_bytes().to_vec();
    failed.extend(b"use version 7\x1b[2J");
    let error = foreign_server(&message(0xFF, &failed));
    assert!(error.contains("use version 7?[2J"), "{error:?}");
    let error = foreign_server(b"HTTP/1.1 400 Bad Request\r\n\r\n");
    assert!(error.contains("is unknown"), "{error}");
    let error = foreign_server(&[0x81, 0, 0, 0, 0, 0, 0, 0x80]);
    assert!(error.contains("2147483648 bytes"), "{error}");
    let error = foreign_server(&message(0x85, &[1, 0, 0, 0, 2, 0, 0, 0]));
    assert!(error.contains("belongs to no question"), "{error}");
    let error = foreign_server(b"");
    assert!(error.contains("it has gone"), "{error}");
}

#[test]
fn clients_queue() {
    let served = Served::new(options());
    let first = served.connect();
    let path = served.path();
    let (sender, places) = mpsc::channel();
    let clients: Vec<_> = (0..2)
        .map(|number| {
            let (path, sender) = (path.clone(), sender.clone());
            let client = thread::spawn(move || {
                let port = SocketPort::connect(&path, &mut |place| {
                    let _ = sender.send((number, place));
                });
                check_commit(port.unwrap());
            });
            // The order is that of the connections.
            let told = places.recv_timeout(LONG).unwrap();
            assert_eq!(told, (number, number + 1));
            client
        })
        .collect();
    drop(sender);
    check_commit(first);
    for client in clients {
        client.join().unwrap();
    }
    // The second one moved up; reminders say the same again.
    let told: Vec<_> = places.iter().collect();
    assert!(told.contains(&(1, 1)), "{told:?}");
    assert!(
        told.iter()
            .all(|place| [(0, 1), (1, 1), (1, 2)].contains(place))
    );
}

#[test]
fn a_full_queue_refuses() {
    let served = Served::new(Options {
        waiting: 1,
        ..options()
    });
    let first = served.connect();
    let mut second = served.raw();
    second.write_all(HELLO).unwrap();
    assert_eq!(answer(&mut second).unwrap(), (0x82, vec![1, 0, 0, 0]));
    let mut third = served.raw();
    third.write_all(HELLO).unwrap();
    let (code, text) = refusal(&mut third);
    assert_eq!(code, 8, "{text}");
    // One that goes while it waits makes room.
    drop(second);
    let refused = Instant::now();
    let path = served.path();
    let client = thread::spawn(move || {
        loop {
            match SocketPort::connect(&path, &mut |_| ()) {
                Ok(port) => return check_commit(port),
                Err(error) => assert!(refused.elapsed() < LONG, "{error}"),
            }
            thread::sleep(Duration::from_millis(20));
        }
    });
    thread::sleep(Duration::from_millis(100));
    drop(first);
    client.join().unwrap();
}

/// What a client says before its turn is answered in its turn.
#[test]
fn a_client_that_waits_may_send_on() {
    let served = Served::new(options());
    let first = served.connect();
    let read = |address: u32| message(3, &address.to_le_bytes());
    let mut second = served.raw();
    second.write_all(&[HELLO, &read(0)].concat()).unwrap();
    assert_eq!(answer(&mut second).unwrap(), (0x82, vec![1, 0, 0, 0]));
    second.write_all(&read(4)).unwrap();
    // One that goes makes room for the next one, whatever it has sent before.
    let mut third = served.raw();
    third.write_all(&[HELLO, &read(0)].concat()).unwrap();
    assert_eq!(answer(&mut third).unwrap(), (0x82, vec![2, 0, 0, 0]));
    drop(third);
    // One that only says no more is there.
    let mut fourth = served.raw();
    let bye = [HELLO, &read(0), &message(7, &[])].concat();
    fourth.write_all(&bye).unwrap();
    fourth.shutdown(std::net::Shutdown::Write).unwrap();
    while answer(&mut fourth).unwrap() != (0x82, vec![2, 0, 0, 0]) {}
    thread::sleep(Duration::from_millis(300));
    drop(first);
    let last = |kinds: &[u32], client: &mut UnixStream| {
        for kind in kinds {
            let found = std::iter::from_fn(|| answer(client)).find(|(kind, _)| *kind != 0x82);
            assert_eq!(found.unwrap().0, *kind);
        }
    };
    last(&[0x81, 0x84, 0x84], &mut second);
    drop(second);
    last(&[0x81, 0x84, 0x83], &mut fourth);
    assert_eq!(answer(&mut fourth), None);
}

/// A client that only waited leaves no gap.
#[test]
fn sessions_have_numbers_without_gaps() {
    let served = Served::new(options());
    let first = served.connect();
    // One that only waits has no session.
    let mut second = served.raw();
    second.write_all(HELLO).unwrap();
    assert_eq!(answer(&mut second).unwrap().0, 0x82);
    drop(second);
    let mut third = served.raw();
    third.write_all(HELLO).unwrap();
    while answer(&mut third).unwrap() != (0x82, vec![1, 0, 0, 0]) {}
    drop(third);
    drop(first);
    drop(served.connect());
    for number in [1, 2] {
        let session = served.event(|event| match event {
            Event::Began { session } => Some(session),
            _ => None,
        });
        assert_eq!(session, number);
    }
}

/// A chip that takes its time to go.
struct Lingering(ComputingChip);

impl ChipPort for Lingering {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn write_register(&mut self, address: u32, value: u32) -> Result<(), PortError> {
        self.0.write_register(address, value)
    }

    fn read_register(&mut self, address: u32) -> Result<u32, PortError> {
        self.0.read_register(address)
    }

    fn begin_run(&mut self, plan: &RunPlan) -> Result<(), PortError> {
        self.0.begin_run(plan)
    }

    fn transfer(
        &mut self,
        input: &[Word],
        output: &mut Vec<OutputWord>,
        cycles: u64,
    ) -> Result<usize, PortError> {
        self.0.transfer(input, output, cycles)
    }
}

impl Drop for Lingering {
    fn drop(&mut self) {
        thread::sleep(Duration::from_millis(300));
    }
}

/// A port that is dropped has given its chip back: the next one does not wait for it.
#[test]
fn a_port_that_is_dropped_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chip");
    let open = || {
        let chip = ComputingChip::new(Hardware::default()).unwrap();
        Box::new(Lingering(chip)) as Box<dyn ChipPort>
    };
    let served = Served::of(open, folder, path, options());
    for _ in 0..4 {
        let port = SocketPort::connect(&served.path(), &mut |place| {
            panic!("{place} sessions are left")
        });
        drop(port.unwrap());
    }
}

/// The server ends sessions in which nothing comes, and a port keeps its own while its program does something else.
#[test]
fn a_port_keeps_its_session() {
    let limit = Duration::from_secs(2);
    let served = Served::new(Options {
        idle: Some(limit),
        ..options()
    });
    let mut port = served.connect();
    port.write_register(0x058, 77).unwrap();
    assert_eq!(port.read_register(0x058).unwrap(), 77);
    thread::sleep(2 * limit + limit / 2);
    assert_eq!(port.read_register(0x058).unwrap(), 77);
    drop(port);
    let (requests, problem) = served.event(|event| match event {
        Event::Ended {
            requests, problem, ..
        } => Some((requests, problem)),
        _ => None,
    });
    // A write, two reads, and the goodbye.
    assert_eq!((requests, problem), (4, None));
}

/// A program that never comes back loses the chip to others.
#[test]
fn a_port_keeps_its_session_for_a_time() {
    let served = Served::new(Options {
        idle: Some(Duration::from_secs(1)),
        ..options()
    });
    let mut port = served.connect();
    port.keep_for(Duration::ZERO);
    let problem = served.problem().expect("no goodbye was said");
    assert!(problem.contains("nothing came within 1 s"), "{problem}");
    check_commit(served.connect());
    for _ in 0..2 {
        let error = port.read_register(0).unwrap_err().to_string();
        assert!(error.contains("nothing came within 1 s"), "{error}");
    }
}

/// What a client leaves behind in mid-run is not there for the next one.
#[test]
fn a_client_that_dies_leaves_a_clean_chip() {
    let served = Served::new(options());
    let mut fresh = served.connect();
    let addresses: Vec<u32> = (0..0x800).step_by(4).collect();
    let read = |port: &mut SocketPort| -> Vec<u32> {
        let values = addresses.iter().map(|&address| port.read_register(address));
        values.map(Result::unwrap).collect()
    };
    let expected = read(&mut fresh);
    drop(fresh);
    assert_eq!(served.problem(), None);

    let set = presets::by_name("filecoin-arity-2").unwrap();
    let request = CommitRequest::new(set, LeafRule::Hash(set), 8);
    let words: Vec<_> = (1..=16).map(word::from_u64).collect();
    let mut device = ChipDevice::new(served.connect()).unwrap();
    let source = &mut WordSource(&words);
    device
        .commit(&request, source, &mut NoNodes, &mut NoProgress)
        .unwrap();
    // The same run again, which is left in its middle.
    let port = device.port();
    port.write_register(0x040, 2).unwrap();
    port.begin_run(&RunPlan {
        input_words: 16,
        output_words: 1,
    })
    .unwrap();
    port.write_register(0x040, 1).unwrap();
    let taken = port.transfer(&words[..5], &mut Vec::new(), 100).unwrap();
    assert_eq!(taken, 5);
    assert_eq!(port.read_register(0x044).unwrap() & 1, 1, "busy");
    assert_ne!(read(port), expected);
    // Without a goodbye: a second connection waits for the first one's end.
    let mut raw = served.raw();
    raw.write_all(HELLO).unwrap();
    assert_eq!(answer(&mut raw).unwrap().0, 0x82);
    drop(device);
    assert_eq!(answer(&mut raw).unwrap().0, 0x81);
    drop(raw);

    let mut next = served.connect();
    assert_eq!(read(&mut next), expected);
    let mut output = Vec::new();
    assert_eq!(next.transfer(&words, &mut output, 10_000).unwrap(), 0);
    assert!(output.is_empty());
    check_commit(next);
}

#[test]
fn a_client_can_ask_for_a_chip_after_its_reset() {
    let served = Served::new(options());
    let mut port = served.connect();
    port.write_register(0x058, 77).unwrap();
    assert_eq!(port.read_register(0x058).unwrap(), 77);
    port.clear().unwrap();
    assert_eq!(port.read_register(0x058).unwrap(), 0);
    check_commit(port);
}

#[test]
fn a_connection_that_breaks_ends_the_session() {
    let served = Served::new(options());
    let mut raw = served.raw();
    raw.write_all(HELLO).unwrap();
    assert_eq!(answer(&mut raw).unwrap().0, 0x81);
    raw.write_all(&message(2, &[0; 16])[..12]).unwrap();
    drop(raw);
    let problem = served.problem().expect("no goodbye was said");
    assert!(problem.contains("the connection broke"), "{problem}");
    check_commit(served.connect());
}

#[test]
fn a_server_that_ends_says_so() {
    let served = Served::new(options());
    let mut port = served.connect();
    port.read_register(0).unwrap();
    served.stopper.stop();
    let began = Instant::now();
    let error = loop {
        match port.read_register(0) {
            Ok(_) => assert!(began.elapsed() < LONG),
            Err(error) => break error.to_string(),
        }
    };
    assert!(error.contains("the server ends"), "{error}");
    assert!(port.read_register(0).is_err());
}

#[test]
fn hostile_messages_are_refused() {
    let served = Served::new(options());
    let transfer =
        |cycles: u32, words: u32| message(5, &[cycles, words].map(u32::to_le_bytes).concat());
    let cases: &[(&str, Vec<u8>, u32)] = &[
        (
            "another protocol",
            b"GET / HTTP/1.1\r\nHost: x\r\n\r\n".to_vec(),
            3,
        ),
        ("wrong magic", message(1, &[7; 16]), 1),
        ("no greeting", message(3, &[0; 4]), 1),
        (
            "newer protocol",
            message(1, b"ACCLMTSV\x02\0\0\0\0\0\0\0"),
            2,
        ),
        (
            "newer protocol with more to say",
            message(1, b"ACCLMTSV\x02\0\0\0 and what only that version knows"),
            2,
        ),
        (
            "newer protocol with less to say",
            message(1, b"ACCLMTSV\x02\0\0\0"),
            2,
        ),
        (
            "a hello without its end",
            message(1, b"ACCLMTSV\x01\0\0\0"),
            4,
        ),
        (
            "a hello that goes on",
            message(1, b"ACCLMTSV\x01\0\0\0\0\0\0\0\0"),
            4,
        ),
        ("half a version", message(1, b"ACCLMTSV\x02"), 4),
        ("just too long", message(1, &[0; 1025]), 4),
        ("huge length", [&[1, 0, 0, 0], &[0xFF; 4][..]].concat(), 4),
    ];
    for (name, bytes, expected) in cases {
        let mut raw = served.raw();
        raw.write_all(bytes).unwrap();
        let (code, text) = refusal(&mut raw);
        assert_eq!(code, *expected, "{name}: {text}");
    }
    let cases: &[(&str, Vec<u8>, u32)] = &[
        ("greeting again", HELLO.to_vec(), 3),
        ("unknown message", message(99, &[]), 3),
        ("an answer", message(0x85, &[0; 8]), 3),
        ("huge length", vec![5, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF], 4),
        ("just too long", message(5, &vec![0; 8 + 32 * 4096 + 1]), 4),
        ("too many writes", message(2, &vec![0; 8 * 1025]), 4),
        ("half a write", message(2, &[0; 12]), 4),
        ("a long goodbye", message(7, &[0]), 4),
        ("short read", message(3, &[0; 3]), 4),
        ("no register", message(3, &0x1000_u32.to_le_bytes()), 5),
        (
            "no register to write",
            message(2, &[0xFFFF_FFFF_u32, 1].map(u32::to_le_bytes).concat()),
            5,
        ),
        ("too many cycles", transfer(4097, 0), 5),
        ("words that are not there", transfer(1, 4096), 4),
        ("a count that overflows", transfer(1, 0x0800_0001), 4),
    ];
    for (name, bytes, expected) in cases {
        let mut raw = served.raw();
        raw.write_all(HELLO).unwrap();
        assert_eq!(answer(&mut raw).unwrap().0, 0x81, "{name}");
        // The server may close the connection before it has read all.
        let _ = raw.write_all(bytes);
        let (code, text) = refusal(&mut raw);
        assert_eq!(code, *expected, "{name}: {text}");
        assert!(!text.is_empty());
    }
    check_commit(served.connect());
}

#[test]
fn slow_clients_are_dropped() {
    let short = Duration::from_millis(300);
    let served = Served::new(Options {
        message: short,
        ..options()
    });
    // One that says nothing, and one byte at a time.
    let (code, text) = refusal(&mut served.raw());
    assert_eq!(code, 7, "{text}");
    let mut raw = served.raw();
    for byte in HELLO.iter().cycle() {
        if raw.write_all(&[*byte]).is_err() {
            break;
        }
        thread::sleep(Duration::from_millis(50));
    }
    let mut raw = served.raw();
    raw.write_all(&HELLO[..20]).unwrap();
    let (code, text) = refusal(&mut raw);
    assert_eq!(code, 6, "{text}");
    // A session in which nothing happens.
    let served = Served::new(Options {
        idle: Some(short),
        ..options()
    });
    let mut raw = served.raw();
    raw.write_all(HELLO).unwrap();
    let (code, text) = refusal(&mut raw);
    assert_eq!(code, 7, "{text}");
}

/// A client that takes no answers has the chip for the time of an answer, and not also for that of a refusal.
#[test]
fn a_client_that_takes_no_answers_is_dropped() {
    let time = Duration::from_secs(4);
    let served = Served::new(Options {
        message: time,
        ..options()
    });
    let mut raw = served.raw();
    raw.write_all(HELLO).unwrap();
    // The server reads until it finds no room for an answer, and closes the connection some time later.
    let read = message(3, &[0; 4]);
    let reads = read.repeat(100_000);
    let (mut sent, mut waits) = (0, Instant::now());
    while let Ok(count) = raw.write(&reads[sent..reads.len().min(sent + 4096)]) {
        sent += count;
        waits = Instant::now();
    }
    let problem = served.problem().expect("no goodbye was said");
    assert!(problem.contains("does not take its answers"), "{problem}");
    assert!(waits.elapsed() < time + time / 2, "{:?}", waits.elapsed());
    check_commit(served.connect());
}

/// Random messages, some of them almost right: every one is answered or refused, and the chip stays usable.
#[test]
fn random_messages_do_no_harm() {
    let served = Served::new(options());
    for seed in 0..40 {
        println!("seed {seed}");
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut raw = served.raw();
        if random.gen_bool(0.9) {
            raw.write_all(HELLO).unwrap();
        }
        let mut bytes = Vec::new();
        for _ in 0..random.gen_range(1..30) {
            let mut payload = vec![0; random.gen_range(0..100)];
            random.fill_bytes(&mut payload);
            bytes.extend(match random.gen_range(0..8) {
                0 => payload,
                1 => message(random.gen_range(0..10), &payload),
                2 | 3 => message(3, &random.gen_range(0..0x1000_u32).to_le_bytes()),
                4 => {
                    let words = random.gen_range(0..4_u32);
                    let mut all = [random.gen_range(0..4096_u32), words]
                        .map(u32::to_le_bytes)
                        .concat();
                    payload.resize(32 * words as usize, 0xA5);
                    all.extend(payload);
                    message(5, &all)
                }
                5 => message(
                    4,
                    &[random.next_u64(), random.next_u64()]
                        .map(u64::to_le_bytes)
                        .concat(),
                ),
                _ => {
                    let write = [
                        random.gen_range(0..0x1000_u32) & !3,
                        random.next_u32() >> random.gen_range(0..32),
                    ];
                    message(2, &write.map(u32::to_le_bytes).concat())
                }
            });
        }
        let _ = raw.write_all(&bytes);
        let _ = raw.shutdown(std::net::Shutdown::Write);
        while let Some((kind, bytes)) = answer(&mut raw) {
            assert!([0x81, 0x82, 0x83, 0x84, 0x85, 0xFF].contains(&kind));
            let text = String::from_utf8_lossy(&bytes);
            assert!(
                !(kind == 0xFF && text.contains("the chip failed:")),
                "{text}"
            );
        }
    }
    check_commit(served.connect());
}
