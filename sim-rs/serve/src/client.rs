// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The port of a client: a chip behind the socket of a server.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::FileTypeExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use acclmt_driver::chip::{ChipPort, OutputWord, PortError, RunPlan};
use acclmt_poseidon::word::Word;

use crate::frames::{FrameError, Frames, Limits};
use crate::protocol::{self, MAX_CYCLES, MAX_WORDS, MAX_WRITES, Reply, Request};

/// Within this time an answer comes, even if the chip is simulated on a machine that does much else; a client
/// that waits hears from the server more often.
const PATIENCE: Duration = Duration::from_secs(120);

/// Register writes that go to the server together.
const WRITES: usize = if MAX_WRITES < 256 { MAX_WRITES } else { 256 };

/// A chip behind the socket of a server, until it is dropped.
pub struct SocketPort {
    frames: Frames,
    path: PathBuf,
    name: String,
    cycles_per_second: u64,
    /// Writes that have yet to go.
    writes: Vec<(u32, u32)>,
    /// The connection has failed.
    is_lost: bool,
}

impl SocketPort {
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
        let mut port = Self {
            frames: Frames::new(stream),
            path: path.to_owned(),
            name: String::new(),
            cycles_per_second: 0,
            writes: Vec::new(),
            is_lost: false,
        };
        port.send(&Request::Hello {
            is_ours: true,
            version: protocol::VERSION,
        })?;
        loop {
            match port.receive()? {
                Reply::Waiting(place) => waits(place),
                Reply::Welcome {
                    version,
                    cycles_per_second,
                    name,
                } => {
                    if version != protocol::VERSION {
                        return Err(port.error(&format!(
                            "it has version {version} of the protocol, this program {}; use programs of the same \
                             version",
                            protocol::VERSION
                        )));
                    }
                    (port.cycles_per_second, port.name) = (cycles_per_second, name);
                    return Ok(port);
                }
                _ => return Err(port.unexpected()),
            }
        }
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

    /// What is wrong with the server.
    fn error(&mut self, problem: &str) -> PortError {
        self.is_lost = true;
        PortError::new(format!("the server at {}: {problem}", self.path.display()))
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
        self.error(&text)
    }

    fn send(&mut self, request: &Request) -> Result<(), PortError> {
        if self.is_lost {
            return Err(self.error("the connection has failed before"));
        }
        match self.frames.send(&request.encode(), PATIENCE) {
            Ok(()) => Ok(()),
            Err(error) => {
                // The server may have said why it closed the connection.
                let reason = match self.next() {
                    Ok(Some(Reply::Failed { text, .. })) => Some(text),
                    _ => None,
                };
                Err(match reason {
                    Some(text) => self.error(&text),
                    None => self.failed(error),
                })
            }
        }
    }

    fn next(&mut self) -> Result<Option<Reply>, PortError> {
        let limits = Limits {
            idle: Some(PATIENCE),
            message: PATIENCE,
            stops: &|| false,
        };
        match self.frames.receive(protocol::longest_reply, limits) {
            Ok(Some(frame)) => match Reply::decode(&frame) {
                Some(reply) => Ok(Some(reply)),
                None => Err(self.unexpected()),
            },
            Ok(None) => Ok(None),
            Err(error) => Err(self.failed(error)),
        }
    }

    fn receive(&mut self) -> Result<Reply, PortError> {
        match self.next()? {
            Some(Reply::Failed { text, .. }) => Err(self.error(&text)),
            Some(reply) => Ok(reply),
            None => Err(self.failed(FrameError::Io(ErrorKind::UnexpectedEof.into()))),
        }
    }

    fn ask(&mut self, request: &Request) -> Result<Reply, PortError> {
        self.send(request)?;
        self.receive()
    }

    fn done(&mut self, request: &Request) -> Result<(), PortError> {
        match self.ask(request)? {
            Reply::Done => Ok(()),
            _ => Err(self.unexpected()),
        }
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
        // The server notices a client that goes without a word as well.
        if !self.is_lost {
            let _ = self.frames.send(&Request::Goodbye.encode(), Duration::ZERO);
        }
    }
}
