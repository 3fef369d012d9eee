// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The port of a client: a chip behind the socket of a server.

use std::fmt::Display;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::FileTypeExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use acclmt_driver::chip::{ChipPort, OutputWord, PortError, RunPlan};
use acclmt_poseidon::word::Word;

use crate::frames::{FrameError, Frames, Limits};
use crate::protocol::{self, MAX_CYCLES, MAX_WORDS, MAX_WRITES, Reply, Request};

/// Within this time an answer comes, even if the chip is simulated on a machine that does much else; a client
/// that waits hears from the server more often.
const PATIENCE: Duration = Duration::from_secs(120);

/// Register writes that go to the server together.
const WRITES: usize = if MAX_WRITES < 256 { MAX_WRITES } else { 256 };

/// Within this time the server answers a goodbye, or is not waited for.
const GOODBYE: Duration = Duration::from_secs(5);

/// A chip behind the socket of a server, until it is dropped.
///
/// A thread keeps the session while the program has nothing to ask, for [`SocketPort::KEPT`] or what
/// [`SocketPort::keep_for`] says: a server ends sessions in which nothing comes.
pub struct SocketPort {
    shared: Arc<Shared>,
    /// What keeps the session, where the server has a limit.
    keeper: Option<JoinHandle<()>>,
    name: String,
    cycles_per_second: u64,
    /// Writes that have yet to go.
    writes: Vec<(u32, u32)>,
}

impl SocketPort {
    /// How long a session is kept for a program that asks nothing of its chip. It is long for input that is slow
    /// to come, and frees the chip of a program that will never ask again.
    pub const KEPT: Duration = Duration::from_secs(3600);

    /// Connects to the server that listens at `path`, and waits for its chip; meanwhile `waits` is told how
    /// many sessions come first.
    ///
    /// # Errors
    ///
    /// When there is no such server, or it refuses the client.
    pub fn connect(path: &Path, waits: &mut dyn FnMut(u32)) -> Result<Self, PortError> {
        let stream = UnixStream::connect(path).map_err(|error| {
            let is_other = fs::metadata(path).is_ok_and(|file| !file.file_type().is_socket());
            let path = path.display();
            PortError::new(match error.kind() {
                ErrorKind::NotFound => {
                    format!("there is no socket {path}; start `acclmt serve --socket {path}`")
                }
                ErrorKind::PermissionDenied => format!(
                    "no permission for the socket {path}: only the user who started the server may use it"
                ),
                ErrorKind::ConnectionRefused if is_other => format!("{path} is no socket"),
                ErrorKind::ConnectionRefused => format!(
                    "nobody listens at {path}: the server has ended; remove the socket and start it again"
                ),
                _ => format!("cannot connect to {path}: {error}"),
            })
        })?;
        let now = Instant::now();
        let mut connection = Connection {
            frames: Frames::new(stream),
            path: path.to_owned(),
            lost: None,
            answered: now,
            asked: now,
            kept: Self::KEPT,
        };
        connection.send(&Request::Hello {
            is_ours: true,
            version: protocol::VERSION,
        })?;
        let (idle, cycles_per_second, name) = loop {
            match connection.receive(&|| false)? {
                Reply::Waiting(place) => waits(place),
                Reply::Welcome { version, .. } if version != protocol::VERSION => {
                    return Err(connection.error(format!(
                        "it has version {version} of the protocol, this program {}; use programs of the same \
                         version",
                        protocol::VERSION
                    )));
                }
                Reply::Welcome {
                    idle,
                    cycles_per_second,
                    name,
                    ..
                } => break (idle, cycles_per_second, name),
                _ => return Err(connection.unexpected()),
            }
        };
        connection.asked = Instant::now();
        let shared = Arc::new(Shared {
            connection: Mutex::new(connection),
            ends: AtomicBool::new(false),
            told: Condvar::new(),
        });
        let keeper = (idle != 0).then(|| {
            let shared = Arc::clone(&shared);
            let every = Duration::from_millis(idle.into()) / 3;
            let name = "session".to_owned();
            let thread = thread::Builder::new().name(name);
            thread.spawn(move || shared.keep(every))
        });
        Ok(Self {
            shared,
            // Without a thread the session is as long as the limit of the server lets it be.
            keeper: keeper.and_then(Result::ok),
            name,
            cycles_per_second,
            writes: Vec::new(),
        })
    }

    /// Keeps the session for `time` after whatever the program has asked of its chip last, in place of
    /// [`SocketPort::KEPT`]. Nobody else has the chip meanwhile.
    pub fn keep_for(&mut self, time: Duration) {
        let mut connection = self.shared.lock();
        (connection.kept, connection.asked) = (time, Instant::now());
    }

    /// The chip is as after a reset.
    ///
    /// # Errors
    ///
    /// When the connection to the server fails.
    pub fn clear(&mut self) -> Result<(), PortError> {
        self.writes.clear();
        self.done(&Request::Clear)
    }

    fn ask(&mut self, request: &Request) -> Result<Reply, PortError> {
        let mut connection = self.shared.lock();
        let reply = connection.ask(request, &|| false);
        connection.asked = Instant::now();
        reply
    }

    fn done(&mut self, request: &Request) -> Result<(), PortError> {
        match self.ask(request)? {
            Reply::Done => Ok(()),
            _ => Err(self.unexpected()),
        }
    }

    fn unexpected(&mut self) -> PortError {
        self.shared.lock().unexpected()
    }

    /// Sends the writes that wait.
    fn flush(&mut self) -> Result<(), PortError> {
        if self.writes.is_empty() {
            return Ok(());
        }
        let writes = std::mem::take(&mut self.writes);
        self.done(&Request::Write(writes))
    }
}

/// What a port shares with the thread that keeps its session.
struct Shared {
    connection: Mutex<Connection>,
    /// The port is dropped.
    ends: AtomicBool,
    /// Tells of that.
    told: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Connection> {
        // A connection is left between two messages, or it has failed.
        (self.connection.lock()).unwrap_or_else(PoisonError::into_inner)
    }

    /// Says something whenever nothing has been said for a time, until the port is dropped or the connection has
    /// failed; whoever uses the port next is told of that.
    fn keep(&self, every: Duration) {
        let ends = || self.ends.load(Ordering::Relaxed);
        let mut connection = self.lock();
        while !ends() && connection.lost.is_none() {
            let quiet = connection.answered.elapsed();
            let is_kept = connection.asked.elapsed() < connection.kept;
            let due = match quiet < every {
                true => every - quiet,
                false if is_kept => {
                    match connection.ask(&Request::Keep, &ends) {
                        Ok(Reply::Done) | Err(_) => {}
                        Ok(_) => drop(connection.unexpected()),
                    }
                    continue;
                }
                // The program may still come back before the server ends the session.
                false => every,
            };
            let told = self.told.wait_timeout(connection, due);
            connection = told.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// The connection to a server.
struct Connection {
    frames: Frames,
    path: PathBuf,
    /// Why it has failed.
    lost: Option<PortError>,
    /// When something came last.
    answered: Instant,
    /// When the program has asked something last.
    asked: Instant,
    /// For how long after that the session is kept.
    kept: Duration,
}

impl Connection {
    /// What is wrong with the server.
    fn error(&mut self, problem: impl Display) -> PortError {
        let error = PortError::new(format!("the server at {}: {problem}", self.path.display()));
        self.lost = Some(error.clone());
        error
    }

    fn unexpected(&mut self) -> PortError {
        self.error("its answer belongs to no question; use programs of the same version")
    }

    fn failed(&mut self, error: FrameError) -> PortError {
        let gone = "it has gone; start it again, and repeat what was asked";
        let text = match error {
            FrameError::Io(error) if error.kind() == ErrorKind::UnexpectedEof => gone.to_owned(),
            FrameError::Io(error) if error.kind() == ErrorKind::BrokenPipe => gone.to_owned(),
            FrameError::Io(error) => format!("the connection broke: {error}"),
            FrameError::Kind(kind) => {
                format!("its answer of kind {kind} is unknown; is it a server of `acclmt serve`?")
            }
            FrameError::Length { kind, length, most } => format!(
                "an answer of kind {kind} has {length} bytes, expected at most {most}; is it a server of `acclmt \
                 serve`?"
            ),
            FrameError::Idle | FrameError::Slow | FrameError::Stopped => {
                format!("no answer within {} s", PATIENCE.as_secs())
            }
        };
        self.error(text)
    }

    fn send(&mut self, request: &Request) -> Result<(), PortError> {
        if let Some(error) = &self.lost {
            return Err(error.clone());
        }
        match self.frames.send(&request.encode(), PATIENCE) {
            Ok(()) => Ok(()),
            Err(error) => {
                // The server may have said why it closed the connection.
                let reason = match self.next(PATIENCE, &|| false) {
                    Ok(Some(Reply::Failed { text, .. })) => Some(text),
                    _ => None,
                };
                Err(match reason {
                    Some(text) => self.error(text),
                    None => self.failed(error),
                })
            }
        }
    }

    fn next(
        &mut self,
        time: Duration,
        stops: &dyn Fn() -> bool,
    ) -> Result<Option<Reply>, PortError> {
        let limits = Limits {
            idle: Some(time),
            message: time,
            stops,
        };
        match self.frames.receive(protocol::longest_reply, limits) {
            Ok(Some(frame)) => match Reply::decode(&frame) {
                Some(reply) => {
                    self.answered = Instant::now();
                    Ok(Some(reply))
                }
                None => Err(self.unexpected()),
            },
            Ok(None) => Ok(None),
            Err(error) => Err(self.failed(error)),
        }
    }

    fn receive(&mut self, stops: &dyn Fn() -> bool) -> Result<Reply, PortError> {
        match self.next(PATIENCE, stops)? {
            Some(Reply::Failed { text, .. }) => Err(self.error(text)),
            Some(reply) => Ok(reply),
            None => Err(self.failed(FrameError::Io(ErrorKind::UnexpectedEof.into()))),
        }
    }

    fn ask(&mut self, request: &Request, stops: &dyn Fn() -> bool) -> Result<Reply, PortError> {
        self.send(request)?;
        self.receive(stops)
    }

    /// Ends the session. Whoever connects next finds it ended.
    fn say_goodbye(&mut self) {
        // The server notices a client that goes without a word as well.
        let said =
            self.lost.is_none() && (self.frames.send(&Request::Goodbye.encode(), GOODBYE)).is_ok();
        if said {
            let _ = self.next(GOODBYE, &|| false);
        }
    }
}

impl ChipPort for SocketPort {
    /// That of the chip behind the server.
    fn name(&self) -> &str {
        &self.name
    }

    fn write_register(&mut self, address: u32, value: u32) -> Result<(), PortError> {
        self.writes.push((address, value));
        if self.writes.len() < WRITES {
            return Ok(());
        }
        self.flush()
    }

    fn read_register(&mut self, address: u32) -> Result<u32, PortError> {
        self.flush()?;
        match self.ask(&Request::Read(address))? {
            Reply::Value(value) => Ok(value),
            _ => Err(self.unexpected()),
        }
    }

    fn begin_run(&mut self, plan: &RunPlan) -> Result<(), PortError> {
        self.flush()?;
        self.done(&Request::BeginRun(*plan))
    }

    fn transfer(
        &mut self,
        input: &[Word],
        output: &mut Vec<OutputWord>,
        cycles: u64,
    ) -> Result<usize, PortError> {
        self.flush()?;
        let (mut taken, mut left) = (0, cycles);
        while left != 0 {
            let part = left.min(MAX_CYCLES.into());
            let words = &input[taken..];
            let offered = words.len().min(MAX_WORDS);
            let request = Request::Transfer {
                cycles: part as u32,
                words: words[..offered].to_vec(),
            };
            let Reply::Moved {
                taken: count,
                output: words,
            } = self.ask(&request)?
            else {
                return Err(self.unexpected());
            };
            if count as usize > offered {
                return Err(self.unexpected());
            }
            taken += count as usize;
            left -= part;
            let is_last = words.last().is_some_and(|word| word.last);
            output.extend(words);
            if is_last {
                break;
            }
        }
        Ok(taken)
    }

    fn cycles_per_second(&mut self) -> Option<f64> {
        (self.cycles_per_second != 0).then_some(self.cycles_per_second as f64)
    }
}

impl Drop for SocketPort {
    fn drop(&mut self) {
        // It ends the wait for an answer as well.
        self.shared.ends.store(true, Ordering::Relaxed);
        // A thread that has looked before sleeps when it lets go of the connection, and not before.
        drop(self.shared.lock());
        self.shared.told.notify_all();
        if let Some(keeper) = self.keeper.take() {
            let _ = keeper.join();
        }
        self.shared.lock().say_goodbye();
    }
}
