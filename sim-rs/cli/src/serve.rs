//! `acclmt serve`: a chip for other programs.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, TrySendError};
use std::thread;
use std::time::Duration;

use acclmt_driver::chip::PortError;
use acclmt_model::Hardware;
use acclmt_poseidon::fields::FieldId;
use acclmt_serve::{Event, Options, Server};
use clap::Args;
use serde::Serialize;

use crate::arguments::BackendArguments;
use crate::backends::{BackendFactory, BackendOptions, SOFTWARE, is_place};
use crate::console::Console;
use crate::error::CommandError;

/// Serve a chip to other programs, at a Unix socket
///
/// One client after the other has the chip, each as after a reset; the others wait. `--backend socket:PATH` makes
/// the other commands such clients, and docs/serve.md has the protocol. An interrupt ends the server and removes the
/// socket.
#[derive(Args)]
pub struct ServeArguments {
    /// The socket to make; only this user may connect
    #[arg(long, value_name = "PATH")]
    socket: PathBuf,
    #[command(flatten)]
    backend: BackendArguments,
    /// The large prime of the chip, that of this field [default: that of the build]
    #[arg(long, value_name = "FIELD")]
    field: Option<String>,
    /// Hash engines of the modelled chip, 1 to 8 [default: 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=8))]
    engines: Option<u8>,
    /// End a session in which nothing comes for so many seconds; 0 for never
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    idle_timeout: u32,
    /// Clients that may wait
    #[arg(long, value_name = "NUMBER", default_value_t = 16, value_parser = clap::value_parser!(u16).range(..=1000))]
    waiting: u16,
    /// Print a JSON object a line for all that happens
    #[arg(long)]
    json: bool,
}

/// What happened and is yet to be read, at most.
const EVENTS: usize = 256;

/// What happens, in its JSON form.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Line<'a> {
    Listens {
        socket: &'a PathBuf,
        backend: &'a str,
    },
    Waits {
        waiting: usize,
    },
    Began {
        session: u64,
    },
    Ended {
        session: u64,
        requests: u64,
        words_in: u64,
        words_out: u64,
        problem: Option<String>,
    },
    Refused {
        problem: String,
    },
    Exhausted {
        problem: String,
    },
    Skipped {
        events: u64,
    },
}

impl From<Event> for Line<'_> {
    fn from(event: Event) -> Self {
        match event {
            Event::Waits { waiting } => Self::Waits { waiting },
            Event::Began { session } => Self::Began { session },
            Event::Ended {
                session,
                requests,
                words: (words_in, words_out),
                problem,
            } => Self::Ended {
                session,
                requests,
                words_in,
                words_out,
                problem,
            },
            Event::Refused { problem } => Self::Refused { problem },
            Event::Exhausted { problem } => Self::Exhausted { problem },
        }
    }
}

impl std::fmt::Display for Line<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Listens { socket, backend } => write!(
                formatter,
                "the chip of the backend '{backend}' is at {}; --backend socket:{} uses it",
                socket.display(),
                socket.display()
            ),
            Self::Waits { waiting } => write!(formatter, "a client waits: {waiting} before it"),
            Self::Began { session } => write!(formatter, "session {session} begins"),
            Self::Ended {
                session,
                requests,
                words_in,
                words_out,
                problem,
            } => {
                write!(
                    formatter,
                    "session {session} ended: {requests} requests, {words_in} words in, {words_out} out"
                )?;
                problem
                    .as_ref()
                    .map_or(Ok(()), |it| write!(formatter, "; {it}"))
            }
            Self::Refused { problem } => write!(formatter, "a client was refused: {problem}"),
            Self::Exhausted { problem } => write!(
                formatter,
                "clients cannot connect, and wait until the system has room: {problem}"
            ),
            Self::Skipped { events } => {
                write!(
                    formatter,
                    "nobody read what happened; not told: {events} events"
                )
            }
        }
    }
}

pub fn run(
    arguments: &ServeArguments,
    backends: &dyn BackendFactory,
    console: &mut Console<'_>,
) -> Result<(), CommandError> {
    let backend = arguments.backend.name(backends)?;
    if backend == SOFTWARE || is_place(backend) {
        return Err(CommandError::Usage(format!(
            "the backend '{backend}' has no chip to serve; take one of: {}",
            (backends.names().iter().copied())
                .filter(|name| *name != SOFTWARE)
                .collect::<Vec<_>>()
                .join(", ")
        )));
    }
    let field = (arguments.field.as_deref()).map(|name| {
        let fields = || {
            FieldId::ALL
                .iter()
                .filter(|field| **field != FieldId::Goldilocks)
        };
        let found = fields().find(|field| field.name() == name).copied();
        found.ok_or_else(|| {
            CommandError::Usage(format!(
                "no chip has the large prime of '{}'; the fields are: {}",
                acclmt_poseidon::text::shortened(name),
                fields()
                    .map(|field| field.name())
                    .collect::<Vec<_>>()
                    .join(", ")
            ))
        })
    });
    let options = BackendOptions {
        hardware: field.transpose()?.map(|field| Hardware {
            field,
            ..Hardware::default()
        }),
        engines: arguments.engines.map(usize::from),
        ..BackendOptions::default()
    };
    // What is wrong with the chip is said at once, and not to the first client.
    drop(
        backends
            .open_chip(backend, &options)
            .map_err(CommandError::failure)?,
    );
    let server = Server::bind(
        &arguments.socket,
        Options {
            idle: (arguments.idle_timeout != 0)
                .then(|| Duration::from_secs(arguments.idle_timeout.into())),
            waiting: arguments.waiting.into(),
            ..Options::default()
        },
    )
    .map_err(CommandError::failure)?;
    console.notes(&server.notes())?;
    let stopper = server.stopper();

    let open = || {
        (backends.open_chip(backend, &options)).map_err(|error| PortError::new(error.to_string()))
    };
    let mut print = |line: &Line<'_>| {
        let printed = if arguments.json {
            console.json_line(line)
        } else {
            console.line(line)
        };
        match printed.and_then(|()| console.flush()) {
            // A server whose output nobody reads any more goes on.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
            printed => printed.map(|()| true),
        }
    };
    // Nobody waits for a server that cannot say that it is there.
    let mut is_read = print(&Line::Listens {
        socket: &arguments.socket,
        backend,
    })?;
    let (sender, events) = mpsc::sync_channel(EVENTS);
    let skipped = AtomicU64::new(0);
    thread::scope(|scope| {
        let skipped = &skipped;
        let serve = move || {
            let tell = move |event| {
                // Sessions do not wait for those who read of them, and nothing is kept for readers who do not come.
                if let Err(TrySendError::Full(_)) = sender.try_send(event) {
                    skipped.fetch_add(1, Ordering::Relaxed);
                }
            };
            server.run(&open, &tell)
        };
        let server = (thread::Builder::new().spawn_scoped(scope, serve)).map_err(|error| {
            CommandError::Failure(format!("the system has no thread for the server: {error}"))
        })?;
        let mut printed = Ok(());
        for event in events {
            let skipped = skipped.swap(0, Ordering::Relaxed);
            let lines = [
                Some(event.into()),
                (skipped != 0).then_some(Line::Skipped { events: skipped }),
            ];
            for line in lines.into_iter().flatten() {
                if !is_read || printed.is_err() {
                    break;
                }
                match print(&line) {
                    Ok(read) => is_read = read,
                    Err(error) => {
                        printed = Err(error);
                        stopper.stop();
                    }
                }
            }
        }
        let ended = server.join().expect("the server tells of its errors");
        ended.map_err(CommandError::failure)?;
        Ok(printed?)
    })
}
