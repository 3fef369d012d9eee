// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The server: one client at a time has the chip, the others wait for their turn.

use std::any::Any;
use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use acclmt_driver::chip::{ChipPort, PortError};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};

use crate::frames::{FrameError, Frames, Limits};
use crate::protocol::{self, Code, Refusal, Reply, Request};
use crate::socket::{ServeError, Socket, remove_sockets};

/// Files that a process needs beside the connections of its server.
const SPARE_FILES: usize = 16;

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

impl Options {
    /// Connections at a time: of those that wait, the one that is served, and some that have yet to greet.
    fn connections(&self) -> usize {
        self.waiting.saturating_mul(2).saturating_add(4)
    }
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
        /// Messages of the client, without those that only keep the session.
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
    /// The system has no room for another connection; whoever connects waits until it has.
    Exhausted {
        /// What it lacks.
        problem: String,
    },
}

/// Makes a chip that has been reset.
pub type OpenChip<'a> = dyn Fn() -> Result<Box<dyn ChipPort>, PortError> + Sync + 'a;

/// A chip behind a socket.
pub struct Server {
    socket: Socket,
    options: Options,
    stopper: Stopper,
    /// It is closed when the server is to end.
    woken: UnixStream,
    /// Bytes of the stack of a thread, if not those of the standard library.
    stack: Option<usize>,
}

/// Ends a server.
#[derive(Clone)]
pub struct Stopper {
    stops: Arc<AtomicBool>,
    /// The other side of what the server listens to beside its socket.
    waker: Arc<UnixStream>,
}

impl Stopper {
    /// Ends all sessions, and [`Server::run`].
    pub fn stop(&self) {
        self.stops.store(true, Ordering::Relaxed);
        // The server waits for a client. A second call has nothing to close.
        let _ = self.waker.shutdown(Shutdown::Both);
    }
}

impl Server {
    /// Makes the socket at `path`, for the user of this process alone.
    ///
    /// # Errors
    ///
    /// When something is at `path`, or the socket cannot be made.
    pub fn bind(path: &Path, options: Options) -> Result<Self, ServeError> {
        let socket = Socket::new(path)?;
        let (waker, woken) = UnixStream::pair().map_err(|error| socket.error(&error))?;
        Ok(Self {
            socket,
            options,
            stopper: Stopper {
                stops: Arc::default(),
                waker: Arc::new(waker),
            },
            woken,
            stack: None,
        })
    }

    /// What ends the server, from another thread.
    pub fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// What may surprise the user of the server: fewer clients than were asked for.
    pub fn notes(&self) -> Vec<String> {
        let (asked, most) = (self.options.connections(), self.most());
        if most == asked {
            return Vec::new();
        }
        let needed = asked + SPARE_FILES;
        vec![format!(
            "the process may open too few files for {asked} connections at a time: there are {most}; let fewer \
             clients wait, or raise the limit: `ulimit -n {needed}`"
        )]
    }

    /// Connections at a time, at most.
    fn most(&self) -> usize {
        let asked = self.options.connections();
        let files = getrlimit(Resource::Nofile).current;
        let files = files.map_or(usize::MAX, |files| files.try_into().unwrap_or(usize::MAX));
        // A server that can serve nobody is of no use.
        asked.min(files.saturating_sub(SPARE_FILES)).max(2)
    }

    /// Serves clients, until it is stopped. Each session has a chip of its own from `open`, so that nothing of
    /// one client is there for the next; there is never more than one.
    ///
    /// Where the system has no file or memory left for another client, those who connect wait until it has, and
    /// where it has no thread, they are refused; sessions go on.
    ///
    /// # Errors
    ///
    /// When no client can connect any more.
    pub fn run(self, open: &OpenChip<'_>, tell: &(dyn Fn(Event) + Sync)) -> Result<(), ServeError> {
        let _running = Running::new(&self.stopper);
        let accepted = self.accept(open, tell);
        accepted.map_err(|error| ServeError::Accept {
            path: self.socket.path().to_owned(),
            problem: error.to_string(),
        })
    }

    fn accept(&self, open: &OpenChip<'_>, tell: &(dyn Fn(Event) + Sync)) -> io::Result<()> {
        /// How long clients wait for what the system lacks, before it is asked again.
        const PAUSE: Duration = Duration::from_millis(100);
        let turns = Turns::default();
        let connections = AtomicUsize::new(0);
        let most = self.most();
        let listener = &self.socket.listener;
        listener.set_nonblocking(true)?;
        let mut is_exhausted = false;
        thread::scope(|scope| {
            loop {
                let accepted = match self.wait(is_exhausted.then_some(PAUSE)) {
                    Ok(true) => listener.accept(),
                    Ok(false) => return Ok(()),
                    Err(error) => Err(error),
                };
                let stream = match accepted {
                    Ok((stream, _)) => stream,
                    // One that has gone already.
                    Err(error) if is_passing(&error) => continue,
                    Err(error) if is_exhaustion(&error) => {
                        if !is_exhausted {
                            let problem = error.to_string();
                            tell(Event::Exhausted { problem });
                        }
                        is_exhausted = true;
                        continue;
                    }
                    Err(error) => {
                        self.stopper.stops.store(true, Ordering::Relaxed);
                        return Err(error);
                    }
                };
                is_exhausted = false;
                // Some systems give a connection the mode of the socket.
                if stream.set_nonblocking(false).is_err() {
                    continue;
                }
                let mut client = Client {
                    frames: Frames::new(stream),
                    options: self.options,
                    stops: &self.stopper.stops,
                    is_deaf: false,
                };
                if connections.fetch_add(1, Ordering::Relaxed) >= most {
                    connections.fetch_sub(1, Ordering::Relaxed);
                    client.refuse(&full(most), Duration::ZERO);
                    continue;
                }
                let (turns, connections) = (&turns, &connections);
                // A thread that cannot be made keeps nothing of what it was to do.
                let client = Arc::new(Mutex::new(Some(client)));
                let mut builder = thread::Builder::new();
                if let Some(bytes) = self.stack {
                    builder = builder.stack_size(bytes);
                }
                let taken = Arc::clone(&client);
                let spawned = builder.spawn_scoped(scope, move || {
                    if let Some(client) = take(&taken) {
                        client.serve(turns, open, tell);
                    }
                    connections.fetch_sub(1, Ordering::Relaxed);
                });
                if let Err(error) = spawned {
                    connections.fetch_sub(1, Ordering::Relaxed);
                    let problem = format!("the system has no thread for another client: {error}");
                    let refusal = Refusal::new(Code::Full, format!("{problem}; try again later"));
                    if let Some(mut client) = take(&client) {
                        client.refuse(&refusal, Duration::ZERO);
                    }
                    tell(Event::Refused { problem });
                }
            }
        })
    }

    /// Waits for a client; false when the server is to end. While the system lacks something, clients are there
    /// and wait for `pause`.
    fn wait(&self, pause: Option<Duration>) -> io::Result<bool> {
        let mut sides = vec![PollFd::new(&self.woken, PollFlags::IN)];
        if pause.is_none() {
            sides.push(PollFd::new(&self.socket.listener, PollFlags::IN));
        }
        let pause = pause.map(|time| Timespec {
            tv_sec: time.as_secs() as i64,
            tv_nsec: time.subsec_nanos().into(),
        });
        poll(&mut sides, pause.as_ref())?;
        Ok(!self.stopper.stops.load(Ordering::Relaxed))
    }
}

/// The servers of this process.
static RUNNING: Mutex<Vec<Stopper>> = Mutex::new(Vec::new());

/// Tells when one of them has ended.
static ENDED: Condvar = Condvar::new();

fn running() -> MutexGuard<'static, Vec<Stopper>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The entry of a server in [`RUNNING`].
struct Running<'a>(&'a Stopper);

impl<'a> Running<'a> {
    fn new(stopper: &'a Stopper) -> Self {
        running().push(stopper.clone());
        Self(stopper)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        running().retain(|stopper| !Arc::ptr_eq(&stopper.stops, &self.0.stops));
        ENDED.notify_all();
    }
}

/// Removes the sockets of this process, lets no other one be made from then on, and ends its servers, which tell
/// their clients so: for a program that is about to exit. It waits for the servers, but no longer than `time`.
///
/// [`Server::run`] does not return after this: whatever the program does behind that, it exits first.
pub fn end_servers(time: Duration) {
    remove_sockets();
    let until = Instant::now() + time;
    let mut servers = running();
    servers.iter().for_each(Stopper::stop);
    while !servers.is_empty() {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        let ended = ENDED.wait_timeout(servers, left);
        servers = ended.unwrap_or_else(PoisonError::into_inner).0;
    }
}

/// Whether the next client may have more luck.
fn is_passing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::Interrupted | ErrorKind::ConnectionAborted | ErrorKind::WouldBlock
    )
}

/// Whether the system lacks something that it may have later.
fn is_exhaustion(error: &io::Error) -> bool {
    let lacks = [Errno::MFILE, Errno::NFILE, Errno::NOMEM, Errno::NOBUFS];
    Errno::from_io_error(error).is_some_and(|error| lacks.contains(&error))
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
    /// The last ticket, and those of the clients that have a session or wait for it, in their order.
    queue: Mutex<(u64, VecDeque<u64>)>,
    moved: Condvar,
    /// Sessions so far.
    sessions: AtomicU64,
}

impl Turns {
    fn queue(&self) -> MutexGuard<'_, (u64, VecDeque<u64>)> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of a session that begins.
    fn begin(&self) -> u64 {
        self.sessions.fetch_add(1, Ordering::Relaxed) + 1
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
    /// It took an answer in part or not at all: what comes behind that would be read as the rest of it.
    is_deaf: bool,
}

/// The client of a thread that may not come to be.
fn take<'a>(client: &Mutex<Option<Client<'a>>>) -> Option<Client<'a>> {
    let mut client = client.lock().unwrap_or_else(PoisonError::into_inner);
    client.take()
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
        let session = turns.begin();
        tell(Event::Began { session });
        let mut work = Work::default();
        // A panic ends this session, and no other.
        let ended = catch_unwind(AssertUnwindSafe(|| self.session(open, &mut work)));
        let problem = match ended {
            Ok(Ok(())) => None,
            Ok(Err(refusal)) => Some(refusal),
            Err(panic) => Some(Refusal::new(Code::Chip, panic_text(&*panic))),
        };
        tell(Event::Ended {
            session,
            requests: work.requests,
            words: work.words,
            problem: problem.as_ref().map(|refusal| refusal.text.clone()),
        });
        // The next session begins when this one has been told of. It does not wait for a client to hear how its
        // own one ended, and whoever has heard it does not wait for that session any more.
        drop(turn);
        match problem {
            Some(refusal) => self.refuse(&refusal, self.options.message),
            // A client may go without waiting for the answer to its goodbye.
            None => drop(self.send(&Reply::Done)),
        }
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
        self.is_deaf = sent.is_err();
        sent.map_err(|error| match error {
            FrameError::Io(error) => {
                Refusal::new(Code::Message, format!("the connection broke: {error}"))
            }
            _ => Refusal::new(Code::Slow, "the client does not take its answers"),
        })
    }

    /// Tells why the connection is closed, to whoever is there.
    fn refuse(&mut self, refusal: &Refusal, time: Duration) {
        if self.is_deaf {
            return;
        }
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
            // What it says before its turn is read in its turn.
            if self.frames.is_gone() {
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
            idle: self.options.idle.map_or(0, milliseconds),
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
            work.requests += u64::from(request != Request::Keep);
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
                Request::Keep => Reply::Done,
                Request::Clear => {
                    // The old one goes first.
                    drop(chip);
                    chip = open().map_err(failed)?;
                    Reply::Done
                }
                Request::Goodbye => {
                    drop(chip);
                    return Ok(());
                }
            };
            self.send(&reply)?;
        }
    }
}

/// A limit as a client is told of it; 0 would be none.
fn milliseconds(time: Duration) -> u32 {
    u32::try_from(time.as_millis()).unwrap_or(u32::MAX).max(1)
}

fn stopped() -> Refusal {
    Refusal::new(Code::Stops, "the server ends")
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    format!("the chip failed: {}", text.unwrap_or("nobody knows why"))
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::io::Read as _;
    use std::sync::mpsc;

    /// A client for whom there is no thread is refused, and the server goes on.
    #[test]
    fn a_client_without_a_thread_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("chip");
        let mut server = Server::bind(&path, Options::default()).unwrap();
        // No machine has so much memory for a stack.
        server.stack = Some(1 << 60);
        let stopper = server.stopper();
        let (sender, events) = mpsc::channel();
        let thread = thread::spawn(move || {
            let sender = Mutex::new(sender);
            let tell = |event| drop(sender.lock().unwrap().send(event));
            let open = || -> Result<Box<dyn ChipPort>, PortError> { unreachable!("no session") };
            server.run(&open, &tell)
        });
        for _ in 0..2 {
            let mut client = UnixStream::connect(&path).unwrap();
            let mut answer = Vec::new();
            client.read_to_end(&mut answer).unwrap();
            assert_eq!(answer[..4], protocol::kind::FAILED.to_le_bytes());
            assert_eq!(answer[8..12], (Code::Full as u32).to_le_bytes());
            let text = String::from_utf8_lossy(&answer[12..]);
            assert!(text.contains("no thread for another client"), "{text}");
            let event = events.recv().unwrap();
            assert!(matches!(event, Event::Refused { .. }), "{event:?}");
        }
        stopper.stop();
        thread.join().unwrap().unwrap();
    }
}
