// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The server: one client at a time has the chip, the others wait for their turn.

use std::any::Any;
use std::collections::VecDeque;
use std::io::ErrorKind;
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use acclmt_driver::chip::{ChipPort, PortError};

use crate::frames::{FrameError, Frames, Limits};
use crate::protocol::{self, Code, Refusal, Reply, Request};
use crate::socket::{ServeError, Socket};

/// How a server treats its clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// A session in which nothing comes for so long is ended; nothing is never.
    pub idle: Option<Duration>,
    /// A message must come, and an answer be taken, within this time.
    pub message: Duration,
    /// Clients that may wait.
    pub waiting: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            idle: Some(Duration::from_secs(300)),
            message: Duration::from_secs(10),
            waiting: 16,
        }
    }
}

/// What a server tells of its work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A client waits, and so many of them do.
    Waits {
        /// Clients that wait.
        waiting: usize,
    },
    /// A session has begun.
    Began {
        /// Number of the session, counted from 1.
        session: u64,
    },
    /// A session has ended.
    Ended {
        /// Number of the session.
        session: u64,
        /// Messages of the client.
        requests: u64,
        /// Words that the chip took, and those that it put out.
        words: (u64, u64),
        /// Why, unless the client said goodbye.
        problem: Option<String>,
    },
    /// A connection was refused, and had no session.
    Refused {
        /// Why.
        problem: String,
    },
}

/// Makes a chip that has been reset.
pub type OpenChip<'a> = dyn Fn() -> Result<Box<dyn ChipPort>, PortError> + Sync + 'a;

/// A chip behind a socket.
pub struct Server {
    socket: Socket,
    options: Options,
    stops: Arc<AtomicBool>,
}

/// Ends a server.
#[derive(Clone)]
pub struct Stopper {
    stops: Arc<AtomicBool>,
    path: PathBuf,
}

impl Stopper {
    /// Ends all sessions, and [`Server::run`].
    pub fn stop(&self) {
        self.stops.store(true, Ordering::Relaxed);
        // The server waits for a client.
        let _ = UnixStream::connect(&self.path);
    }
}

impl Server {
    /// Makes the socket at `path`, for the user of this process alone.
    ///
    /// # Errors
    ///
    /// When something is at `path`, or the socket cannot be made.
    pub fn bind(path: &Path, options: Options) -> Result<Self, ServeError> {
        Ok(Self {
            socket: Socket::new(path)?,
            options,
            stops: Arc::default(),
        })
    }

    /// What ends the server, from another thread.
    pub fn stopper(&self) -> Stopper {
        Stopper {
            stops: Arc::clone(&self.stops),
            path: self.socket.path().to_owned(),
        }
    }

    /// Serves clients, until it is stopped. Each session has a chip of its own from `open`, so that nothing of
    /// one client is there for the next; there is never more than one.
    ///
    /// # Errors
    ///
    /// When no client can connect any more.
    pub fn run(self, open: &OpenChip<'_>, tell: &(dyn Fn(Event) + Sync)) -> Result<(), ServeError> {
        let turns = Turns::default();
        let connections = AtomicUsize::new(0);
        // Those that wait, the one that is served, and some that have yet to greet.
        let most = 2 * self.options.waiting + 4;
        thread::scope(|scope| {
            loop {
                let stream = match self.socket.listener.accept() {
                    Ok((stream, _)) => stream,
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    // A connection that has gone already, or no room for it now.
                    Err(error) if error.kind() == ErrorKind::ConnectionAborted => continue,
                    Err(error) => {
                        self.stops.store(true, Ordering::Relaxed);
                        return Err(ServeError::Accept {
                            path: self.socket.path().to_owned(),
                            problem: error.to_string(),
                        });
                    }
                };
                if self.stops.load(Ordering::Relaxed) {
                    return Ok(());
                }
                let mut client = Client {
                    frames: Frames::new(stream),
                    options: self.options,
                    stops: &self.stops,
                };
                if connections.fetch_add(1, Ordering::Relaxed) >= most {
                    connections.fetch_sub(1, Ordering::Relaxed);
                    client.refuse(&full(most), Duration::ZERO);
                    continue;
                }
                let (turns, connections) = (&turns, &connections);
                scope.spawn(move || {
                    client.serve(turns, open, tell);
                    connections.fetch_sub(1, Ordering::Relaxed);
                });
            }
        })
    }
}

fn full(clients: usize) -> Refusal {
    Refusal::new(
        Code::Full,
        format!("{clients} clients are connected already; try again later"),
    )
}

/// Whose turn it is.
#[derive(Default)]
struct Turns {
    /// Tickets of the clients that have a session or wait for it, in their order.
    queue: Mutex<(u64, VecDeque<u64>)>,
    moved: Condvar,
}

impl Turns {
    fn queue(&self) -> MutexGuard<'_, (u64, VecDeque<u64>)> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place in the queue; nothing if so many wait already.
    fn take(&self, most: usize) -> Option<Turn<'_>> {
        let mut queue = self.queue();
        if queue.1.len() > most {
            return None;
        }
        queue.0 += 1;
        let ticket = queue.0;
        queue.1.push_back(ticket);
        Some(Turn {
            turns: self,
            ticket,
        })
    }
}

/// A place in the queue.
struct Turn<'a> {
    turns: &'a Turns,
    ticket: u64,
}

impl Turn<'_> {
    /// Sessions before this one.
    fn place(&self) -> usize {
        let queue = self.turns.queue();
        let place = queue.1.iter().position(|ticket| *ticket == self.ticket);
        place.unwrap_or(0)
    }

    /// The place, after it has changed or the time is over.
    fn wait(&self, place: usize, time: Duration) -> usize {
        let until = Instant::now() + time;
        let mut queue = self.turns.queue();
        loop {
            let now = queue.1.iter().position(|ticket| *ticket == self.ticket);
            let now = now.unwrap_or(0);
            let left = until.saturating_duration_since(Instant::now());
            if now != place || left.is_zero() {
                return now;
            }
            let woken = self.turns.moved.wait_timeout(queue, left);
            queue = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.turns.queue().1.retain(|ticket| *ticket != self.ticket);
        self.turns.moved.notify_all();
    }
}

/// A connection.
struct Client<'a> {
    frames: Frames,
    options: Options,
    stops: &'a AtomicBool,
}

/// What a session has done.
#[derive(Default)]
struct Work {
    requests: u64,
    words: (u64, u64),
}

impl Client<'_> {
    fn serve(mut self, turns: &Turns, open: &OpenChip<'_>, tell: &(dyn Fn(Event) + Sync)) {
        let waited = self.greet().and_then(|()| self.wait(turns, tell));
        let turn = match waited {
            Ok(Some(turn)) => turn,
            // Whoever is gone is not told.
            Ok(None) => return,
            Err(refusal) => {
                self.refuse(&refusal, self.options.message);
                tell(Event::Refused {
                    problem: refusal.text,
                });
                return;
            }
        };
        let session = turn.ticket;
        tell(Event::Began { session });
        let mut work = Work::default();
        // A panic ends this session, and no other.
        let ended = catch_unwind(AssertUnwindSafe(|| self.session(open, &mut work)));
        let problem = match ended {
            Ok(Ok(())) => None,
            Ok(Err(refusal)) => Some(refusal),
            Err(panic) => Some(Refusal::new(Code::Chip, panic_text(&*panic))),
        };
        if let Some(refusal) = &problem {
            self.refuse(refusal, self.options.message);
        }
        tell(Event::Ended {
            session,
            requests: work.requests,
            words: work.words,
            problem: problem.map(|refusal| refusal.text),
        });
        // The next session begins when this one has been told of.
        drop(turn);
    }

    fn receive(&mut self, idle: Option<Duration>) -> Result<Option<Request>, Refusal> {
        let limits = Limits {
            idle,
            message: self.options.message,
            stops: &|| self.stops.load(Ordering::Relaxed),
        };
        let received = self.frames.receive(protocol::longest_request, limits);
        let seconds = |time: Duration| time.as_secs_f64();
        let frame = received.map_err(|error| match error {
            FrameError::Io(error) => {
                Refusal::new(Code::Message, format!("the connection broke: {error}"))
            }
            FrameError::Kind(kind) => {
                Refusal::new(Code::Message, format!("there is no message of kind {kind}"))
            }
            FrameError::Length { kind, length, most } => Refusal::new(
                Code::Length,
                format!("a message of kind {kind} has {length} bytes, expected at most {most}"),
            ),
            FrameError::Idle => Refusal::new(
                Code::Idle,
                format!(
                    "nothing came within {} s; send a message from time to time",
                    idle.map_or(0.0, seconds)
                ),
            ),
            FrameError::Slow => Refusal::new(
                Code::Slow,
                format!(
                    "a message did not end within {} s",
                    seconds(self.options.message)
                ),
            ),
            FrameError::Stopped => stopped(),
        })?;
        frame.map(|frame| Request::decode(&frame)).transpose()
    }

    fn send(&mut self, reply: &Reply) -> Result<(), Refusal> {
        let sent = self.frames.send(&reply.encode(), self.options.message);
        sent.map_err(|error| match error {
            FrameError::Io(error) => {
                Refusal::new(Code::Message, format!("the connection broke: {error}"))
            }
            _ => Refusal::new(Code::Slow, "the client does not take its answers"),
        })
    }

    /// Tells why the connection is closed, to whoever is there.
    fn refuse(&mut self, refusal: &Refusal, time: Duration) {
        let _ = self.frames.send(&Reply::failed(refusal).encode(), time);
    }

    fn greet(&mut self) -> Result<(), Refusal> {
        let none = |text: &str| Refusal::new(Code::NoGreeting, text);
        match self.receive(Some(self.options.message)) {
            Ok(Some(Request::Hello { is_ours: false, .. })) => Err(none(
                "the first message is not that of this protocol: its magic is wrong",
            )),
            Ok(Some(Request::Hello { version, .. })) if version != protocol::VERSION => {
                Err(Refusal::new(
                    Code::Version,
                    format!(
                        "the client has version {version} of the protocol, the server {}; use programs of the \
                         same version",
                        protocol::VERSION
                    ),
                ))
            }
            Ok(Some(Request::Hello { .. })) => Ok(()),
            Ok(Some(_)) => Err(none("the first message is no greeting")),
            Ok(None) => Err(none("the connection was closed before a greeting")),
            Err(refusal) => Err(refusal),
        }
    }

    /// Waits for the turn of the client; nothing if it goes.
    fn wait<'t>(
        &mut self,
        turns: &'t Turns,
        tell: &(dyn Fn(Event) + Sync),
    ) -> Result<Option<Turn<'t>>, Refusal> {
        /// How often a client that waits is told so.
        const REMINDER: Duration = Duration::from_secs(5);
        const LOOK: Duration = Duration::from_millis(100);
        let most = self.options.waiting;
        let Some(turn) = turns.take(most) else {
            return Err(full(most + 1));
        };
        let mut place = turn.place();
        let mut told = None;
        while place != 0 {
            if self.stops.load(Ordering::Relaxed) {
                return Err(stopped());
            }
            if self.frames.is_disturbed() {
                return Ok(None);
            }
            let is_news = told.is_none_or(|(then, at): (usize, Instant)| {
                then != place || at.elapsed() >= REMINDER
            });
            if is_news {
                if told.is_none() {
                    tell(Event::Waits { waiting: place });
                }
                told = Some((place, Instant::now()));
                self.send(&Reply::Waiting(place as u32))?;
            }
            place = turn.wait(place, LOOK);
        }
        Ok(Some(turn))
    }

    fn session(&mut self, open: &OpenChip<'_>, work: &mut Work) -> Result<(), Refusal> {
        let failed = |error: PortError| Refusal::new(Code::Chip, error.to_string());
        let mut chip = open().map_err(failed)?;
        let speed = chip.cycles_per_second().unwrap_or(0.0);
        self.send(&Reply::Welcome {
            version: protocol::VERSION,
            cycles_per_second: speed as u64,
            name: chip.name().to_owned(),
        })?;
        loop {
            let Some(request) = self.receive(self.options.idle)? else {
                return Err(Refusal::new(
                    Code::Message,
                    "the connection was closed without a goodbye",
                ));
            };
            work.requests += 1;
            let reply = match request {
                Request::Hello { .. } => {
                    return Err(Refusal::new(Code::Message, "there was a greeting already"));
                }
                Request::Write(writes) => {
                    for (address, value) in writes {
                        chip.write_register(address, value).map_err(failed)?;
                    }
                    Reply::Done
                }
                Request::Read(address) => {
                    Reply::Value(chip.read_register(address).map_err(failed)?)
                }
                Request::BeginRun(plan) => {
                    chip.begin_run(&plan).map_err(failed)?;
                    Reply::Done
                }
                Request::Transfer { cycles, words } => {
                    let mut output = Vec::new();
                    let taken = chip.transfer(&words, &mut output, cycles.into());
                    let taken = taken.map_err(failed)?.min(words.len());
                    work.words.0 += taken as u64;
                    work.words.1 += output.len() as u64;
                    Reply::Moved {
                        taken: taken as u32,
                        output,
                    }
                }
                Request::Clear => {
                    // The old one goes first.
                    drop(chip);
                    chip = open().map_err(failed)?;
                    Reply::Done
                }
                Request::Goodbye => {
                    drop(chip);
                    // A client may go without waiting for it.
                    let _ = self.send(&Reply::Done);
                    return Ok(());
                }
            };
            self.send(&reply)?;
        }
    }
}

fn stopped() -> Refusal {
    Refusal::new(Code::Stops, "the server ends")
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    format!("the chip failed: {}", text.unwrap_or("nobody knows why"))
}
