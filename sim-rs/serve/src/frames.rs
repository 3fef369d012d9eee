// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! Whole messages over a stream, each within its time.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::protocol::{Frame, HEADER_BYTES};

/// How often a wait looks whether it is to end.
const LOOK: Duration = Duration::from_millis(100);

/// A connection.
pub struct Frames {
    stream: UnixStream,
}

/// Why there is no message.
#[derive(Debug)]
pub enum FrameError {
    /// The connection failed, or ended within a message.
    Io(io::Error),
    /// No message has this kind.
    Kind(u32),
    /// A message of the kind is not that long.
    Length { kind: u32, length: u32, most: usize },
    /// Nothing came.
    Idle,
    /// A message did not end.
    Slow,
    /// The wait was ended.
    Stopped,
}

impl From<io::Error> for FrameError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// How long a message may take.
#[derive(Clone, Copy)]
pub struct Limits<'a> {
    /// Until its first byte.
    pub idle: Option<Duration>,
    /// From there to its end.
    pub message: Duration,
    /// Whether the wait is to end.
    pub stops: &'a dyn Fn() -> bool,
}

impl Frames {
    pub fn new(stream: UnixStream) -> Self {
        Self { stream }
    }

    /// The next message; nothing when the connection was closed before it. `longest` are the bytes that a
    /// message of a kind may have.
    pub fn receive(
        &mut self,
        longest: fn(u32) -> Option<usize>,
        limits: Limits<'_>,
    ) -> Result<Option<Frame>, FrameError> {
        let mut header = [0; HEADER_BYTES];
        let first_until = limits.idle.map(|idle| Instant::now() + idle);
        let first = self.read(&mut header[..1], first_until, limits.stops);
        match first {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(FrameError::Slow) => return Err(FrameError::Idle),
            Err(error) => return Err(error),
        }
        let until = Some(Instant::now() + limits.message);
        self.read_all(&mut header[1..], until, limits.stops)?;
        let [kind, length] = [0, 4].map(|from| {
            let bytes = [0, 1, 2, 3].map(|byte| header[from + byte]);
            u32::from_le_bytes(bytes)
        });
        let most = longest(kind).ok_or(FrameError::Kind(kind))?;
        if length as usize > most {
            return Err(FrameError::Length { kind, length, most });
        }
        let mut bytes = vec![0; length as usize];
        self.read_all(&mut bytes, until, limits.stops)?;
        Ok(Some((kind, bytes)))
    }

    fn read_all(
        &mut self,
        bytes: &mut [u8],
        until: Option<Instant>,
        stops: &dyn Fn() -> bool,
    ) -> Result<(), FrameError> {
        if self.read(bytes, until, stops)? {
            return Ok(());
        }
        Err(io::Error::from(ErrorKind::UnexpectedEof).into())
    }

    /// Fills `bytes`; false where the connection ended before the first of them.
    fn read(
        &mut self,
        bytes: &mut [u8],
        until: Option<Instant>,
        stops: &dyn Fn() -> bool,
    ) -> Result<bool, FrameError> {
        let mut filled = 0;
        self.stream.set_read_timeout(Some(LOOK))?;
        while filled < bytes.len() {
            if stops() {
                return Err(FrameError::Stopped);
            }
            if until.is_some_and(|until| Instant::now() >= until) {
                return Err(FrameError::Slow);
            }
            match self.stream.read(&mut bytes[filled..]) {
                Ok(0) if filled == 0 => return Ok(false),
                Ok(0) => return Err(io::Error::from(ErrorKind::UnexpectedEof).into()),
                Ok(count) => filled += count,
                Err(error) if is_wait(&error) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(true)
    }

    /// Sends a message, within `time`.
    pub fn send(&mut self, (kind, bytes): &Frame, time: Duration) -> Result<(), FrameError> {
        let mut message = kind.to_le_bytes().to_vec();
        message.extend((bytes.len() as u32).to_le_bytes());
        message.extend(bytes);
        let until = Instant::now() + time;
        self.stream.set_write_timeout(Some(LOOK))?;
        let mut sent = 0;
        while sent < message.len() {
            match self.stream.write(&message[sent..]) {
                Ok(count) => sent += count,
                Err(error) if is_wait(&error) => {}
                Err(error) => return Err(error.into()),
            }
            if sent < message.len() && Instant::now() >= until {
                return Err(FrameError::Slow);
            }
        }
        Ok(())
    }

    /// Whether the other side has closed the connection: nobody is there to take an answer, whatever was said
    /// before.
    pub fn is_gone(&self) -> bool {
        // The end is told without being asked for. Whoever only says no more still listens.
        let mut sides = [PollFd::new(&self.stream, PollFlags::empty())];
        match poll(&mut sides, Some(&Timespec::default())) {
            Ok(_) => (sides[0].revents()).intersects(PollFlags::HUP | PollFlags::ERR),
            Err(error) => error != Errno::INTR,
        }
    }
}

fn is_wait(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
    )
}
