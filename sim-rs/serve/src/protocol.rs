// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The messages between a client and the server, as `docs/serve.md` has them.
//!
//! A message is a header, its kind and the number of bytes behind it, and so many bytes. All numbers are
//! little-endian.

use acclmt_driver::chip::{OutputWord, RunPlan};
use acclmt_poseidon::word::Word;

/// What a client begins with.
pub const MAGIC: [u8; 8] = *b"ACCLMTSV";

/// Version of the protocol.
pub const VERSION: u32 = 1;

/// Bytes of a header: kind and length.
pub const HEADER_BYTES: usize = 8;

/// Bytes of a hello behind its header at most, in every version of the protocol; those of this one are 16.
pub const MAX_HELLO: usize = 1024;

/// Register writes of a message at most.
pub const MAX_WRITES: usize = 1024;

/// Input words of a transfer at most.
pub const MAX_WORDS: usize = 4096;

/// Clock cycles of a transfer at most; so many words come out at most.
pub const MAX_CYCLES: u32 = 4096;

/// Bytes of the register map: addresses are below.
pub const MAP_BYTES: u32 = 0x1000;

/// Bytes of a word of the streams.
const WORD_BYTES: usize = 32;

/// Bytes of an output word: the word, its level, its index, its flags, and 4 that are 0.
const OUTPUT_BYTES: usize = 48;

/// Bytes of a text at most.
pub const MAX_TEXT: usize = 512;

/// Flags of an output word.
const LAST: u32 = 1;
const VOID: u32 = 2;

/// Kinds of messages.
pub mod kind {
    /// Magic and version of a client.
    pub const HELLO: u32 = 1;
    /// Register writes.
    pub const WRITE: u32 = 2;
    /// A register read.
    pub const READ: u32 = 3;
    /// The lengths of the streams of the next run.
    pub const BEGIN_RUN: u32 = 4;
    /// Words of the streams.
    pub const TRANSFER: u32 = 5;
    /// The chip is to be as after a reset.
    pub const CLEAR: u32 = 6;
    /// The session ends.
    pub const GOODBYE: u32 = 7;
    /// The session goes on although its client has nothing to ask.
    pub const KEEP: u32 = 8;
    /// The session begins.
    pub const WELCOME: u32 = 0x81;
    /// The place of a client that waits.
    pub const WAITING: u32 = 0x82;
    /// It is done, and there is nothing to say about it.
    pub const DONE: u32 = 0x83;
    /// The value of a register.
    pub const VALUE: u32 = 0x84;
    /// What a transfer has moved.
    pub const MOVED: u32 = 0x85;
    /// An error; the server closes the connection.
    pub const FAILED: u32 = 0xFF;
}

/// Why the server closes a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Code {
    /// The first message is no greeting of this protocol.
    NoGreeting = 1,
    /// The client has another version of the protocol.
    Version = 2,
    /// There is no such message, or not here.
    Message = 3,
    /// The length of a message is not that of its kind.
    Length = 4,
    /// A number in a message is out of range.
    Value = 5,
    /// A message takes too long.
    Slow = 6,
    /// Nothing came for too long.
    Idle = 7,
    /// Too many clients wait.
    Full = 8,
    /// The chip failed.
    Chip = 9,
    /// The server ends.
    Stops = 10,
}

/// What a client asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// [`kind::HELLO`]
    Hello {
        /// Whether the magic is [`MAGIC`].
        is_ours: bool,
        /// Version of the protocol.
        version: u32,
    },
    /// [`kind::WRITE`]: addresses and values, in order.
    Write(Vec<(u32, u32)>),
    /// [`kind::READ`]: an address.
    Read(u32),
    /// [`kind::BEGIN_RUN`]
    BeginRun(RunPlan),
    /// [`kind::TRANSFER`]
    Transfer {
        /// Clock cycles at most.
        cycles: u32,
        /// Words to offer.
        words: Vec<Word>,
    },
    /// [`kind::CLEAR`]
    Clear,
    /// [`kind::GOODBYE`]
    Goodbye,
    /// [`kind::KEEP`]
    Keep,
}

/// What the server answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// [`kind::WELCOME`]
    Welcome {
        /// Version of the protocol.
        version: u32,
        /// Milliseconds in which nothing may come, after which the session is ended; 0 for any number.
        idle: u32,
        /// Clock cycles in a second, roughly; 0 where that is not known.
        cycles_per_second: u64,
        /// What the chip is, such as `rtl`.
        name: String,
    },
    /// [`kind::WAITING`]: so many sessions end before this one begins.
    Waiting(u32),
    /// [`kind::DONE`]
    Done,
    /// [`kind::VALUE`]
    Value(u32),
    /// [`kind::MOVED`]
    Moved {
        /// Words of the transfer that were taken.
        taken: u32,
        /// What came out.
        output: Vec<OutputWord>,
    },
    /// [`kind::FAILED`]
    Failed {
        /// A [`Code`].
        code: u32,
        /// What was wrong.
        text: String,
    },
}

/// What a message has that it must not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Kind of error.
    pub code: Code,
    /// What was wrong.
    pub text: String,
}

impl Refusal {
    pub(crate) fn new(code: Code, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { code, text }
    }

    fn length(kind: u32, length: usize) -> Self {
        let text = format!("{length} bytes are no message of kind {kind}");
        Self::new(Code::Length, text)
    }
}

/// The longest request of a kind, in bytes behind the header.
pub fn longest_request(kind: u32) -> Option<usize> {
    Some(match kind {
        // What another version has behind its number is not known.
        kind::HELLO => MAX_HELLO,
        kind::BEGIN_RUN => 16,
        kind::WRITE => 8 * MAX_WRITES,
        kind::READ => 4,
        kind::TRANSFER => 8 + WORD_BYTES * MAX_WORDS,
        kind::CLEAR | kind::GOODBYE | kind::KEEP => 0,
        _ => return None,
    })
}

/// The longest reply of a kind, in bytes behind the header.
pub fn longest_reply(kind: u32) -> Option<usize> {
    Some(match kind {
        kind::WELCOME => 16 + MAX_TEXT,
        kind::WAITING | kind::VALUE => 4,
        kind::DONE => 0,
        kind::MOVED => 8 + OUTPUT_BYTES * MAX_CYCLES as usize,
        kind::FAILED => 4 + MAX_TEXT,
        _ => return None,
    })
}

/// A message: its kind and what is behind the header.
pub type Frame = (u32, Vec<u8>);

/// Takes numbers off a message.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    fn u32(&mut self) -> Option<u32> {
        self.bytes().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.bytes().map(u64::from_le_bytes)
    }

    fn text(&mut self) -> String {
        let text = String::from_utf8_lossy(std::mem::take(&mut self.0));
        // What a terminal would take for a command is not shown.
        text.chars()
            .map(|it| if it.is_control() { '?' } else { it })
            .collect()
    }

    fn end(&self) -> Option<()> {
        self.0.is_empty().then_some(())
    }
}

impl Request {
    /// The message.
    pub fn encode(&self) -> Frame {
        match self {
            Self::Hello { version, .. } => {
                let mut bytes = MAGIC.to_vec();
                bytes.extend(version.to_le_bytes());
                bytes.extend([0; 4]);
                (kind::HELLO, bytes)
            }
            Self::Write(writes) => {
                let numbers = writes.iter().flat_map(|&(address, value)| [address, value]);
                (kind::WRITE, numbers.flat_map(u32::to_le_bytes).collect())
            }
            Self::Read(address) => (kind::READ, address.to_le_bytes().to_vec()),
            Self::BeginRun(plan) => {
                let numbers = [plan.input_words, plan.output_words];
                (kind::BEGIN_RUN, numbers.map(u64::to_le_bytes).concat())
            }
            Self::Transfer { cycles, words } => {
                let mut bytes = [*cycles, words.len() as u32].map(u32::to_le_bytes).concat();
                bytes.extend(words.as_flattened());
                (kind::TRANSFER, bytes)
            }
            Self::Clear => (kind::CLEAR, Vec::new()),
            Self::Goodbye => (kind::GOODBYE, Vec::new()),
            Self::Keep => (kind::KEEP, Vec::new()),
        }
    }

    /// The request of a message.
    ///
    /// # Errors
    ///
    /// When it is none.
    pub fn decode((kind, bytes): &Frame) -> Result<Self, Refusal> {
        let request = Self::parse(*kind, bytes);
        let request = request.ok_or_else(|| Refusal::length(*kind, bytes.len()))?;
        let out_of_range = |what: &str, value: u64, most: u64| {
            Err(Refusal::new(
                Code::Value,
                format!("{what} is {value}, expected at most {most}"),
            ))
        };
        let check_address = |address: u32| {
            if address < MAP_BYTES {
                return Ok(());
            }
            Err(Refusal::new(
                Code::Value,
                format!("there is no register at 0x{address:X}: the map ends at 0x{MAP_BYTES:X}"),
            ))
        };
        match &request {
            Self::Write(writes) => {
                for &(address, _) in writes {
                    check_address(address)?;
                }
            }
            Self::Read(address) => check_address(*address)?,
            Self::Transfer { cycles, .. } if *cycles > MAX_CYCLES => {
                return out_of_range(
                    "the cycles of a transfer",
                    (*cycles).into(),
                    MAX_CYCLES.into(),
                );
            }
            _ => {}
        }
        Ok(request)
    }

    fn parse(kind: u32, bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader(bytes);
        let request = match kind {
            kind::HELLO => {
                let is_ours = reader.bytes()? == MAGIC;
                let version = reader.u32()?;
                let request = Self::Hello { is_ours, version };
                // The rest is that of the version.
                if !is_ours || version != VERSION {
                    return Some(request);
                }
                reader.u32()?;
                request
            }
            kind::WRITE => {
                let mut writes = Vec::with_capacity(bytes.len() / 8);
                while reader.end().is_none() {
                    writes.push((reader.u32()?, reader.u32()?));
                }
                Self::Write(writes)
            }
            kind::READ => Self::Read(reader.u32()?),
            kind::BEGIN_RUN => Self::BeginRun(RunPlan {
                input_words: reader.u64()?,
                output_words: reader.u64()?,
            }),
            kind::TRANSFER => {
                let (cycles, count) = (reader.u32()?, reader.u32()? as usize);
                let (words, rest) = reader.0.as_chunks::<WORD_BYTES>();
                if words.len() != count || !rest.is_empty() {
                    return None;
                }
                let words = words.to_vec();
                return Some(Self::Transfer { cycles, words });
            }
            kind::CLEAR => Self::Clear,
            kind::GOODBYE => Self::Goodbye,
            kind::KEEP => Self::Keep,
            _ => return None,
        };
        reader.end()?;
        Some(request)
    }
}

impl Reply {
    /// A failure.
    pub(crate) fn failed(refusal: &Refusal) -> Self {
        let mut text = refusal.text.clone();
        let end = (0..=MAX_TEXT.min(text.len()))
            .rev()
            .find(|&end| text.is_char_boundary(end));
        text.truncate(end.unwrap_or(0));
        Self::Failed {
            code: refusal.code as u32,
            text,
        }
    }

    /// The message.
    pub fn encode(&self) -> Frame {
        match self {
            Self::Welcome {
                version,
                idle,
                cycles_per_second,
                name,
            } => {
                let mut bytes = [*version, *idle].map(u32::to_le_bytes).concat();
                bytes.extend(cycles_per_second.to_le_bytes());
                bytes.extend(name.as_bytes());
                (kind::WELCOME, bytes)
            }
            Self::Waiting(place) => (kind::WAITING, place.to_le_bytes().to_vec()),
            Self::Done => (kind::DONE, Vec::new()),
            Self::Value(value) => (kind::VALUE, value.to_le_bytes().to_vec()),
            Self::Moved { taken, output } => {
                let mut bytes = [*taken, output.len() as u32].map(u32::to_le_bytes).concat();
                for word in output {
                    let flags = (LAST * u32::from(word.last)) | (VOID * u32::from(word.error));
                    bytes.extend(word.data);
                    bytes.extend(
                        [word.level, word.index, flags, 0]
                            .map(u32::to_le_bytes)
                            .concat(),
                    );
                }
                (kind::MOVED, bytes)
            }
            Self::Failed { code, text } => {
                let mut bytes = code.to_le_bytes().to_vec();
                bytes.extend(text.as_bytes());
                (kind::FAILED, bytes)
            }
        }
    }

    /// The reply of a message; nothing if it is none.
    pub fn decode((kind, bytes): &Frame) -> Option<Self> {
        let mut reader = Reader(bytes);
        let reply = match *kind {
            kind::WELCOME => {
                let (version, idle) = (reader.u32()?, reader.u32()?);
                Self::Welcome {
                    version,
                    idle,
                    cycles_per_second: reader.u64()?,
                    name: reader.text(),
                }
            }
            kind::WAITING => Self::Waiting(reader.u32()?),
            kind::DONE => Self::Done,
            kind::VALUE => Self::Value(reader.u32()?),
            kind::MOVED => {
                let (taken, count) = (reader.u32()?, reader.u32()? as usize);
                if reader.0.len() != OUTPUT_BYTES * count {
                    return None;
                }
                let mut output = Vec::with_capacity(count);
                for _ in 0..count {
                    let data = reader.bytes()?;
                    let (level, index, flags) = (reader.u32()?, reader.u32()?, reader.u32()?);
                    reader.u32()?;
                    output.push(OutputWord {
                        data,
                        level,
                        index,
                        last: flags & LAST != 0,
                        error: flags & VOID != 0,
                    });
                }
                Self::Moved { taken, output }
            }
            kind::FAILED => Self::Failed {
                code: reader.u32()?,
                text: reader.text(),
            },
            _ => return None,
        };
        reader.end()?;
        Some(reply)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_back() {
        let word = OutputWord {
            data: [7; 32],
            level: 3,
            index: u32::MAX,
            last: true,
            error: false,
        };
        let requests = [
            Request::Hello {
                is_ours: true,
                version: VERSION,
            },
            Request::Write(vec![(4, 5), (0xFFF, u32::MAX)]),
            Request::Write(Vec::new()),
            Request::Read(0xFFC),
            Request::BeginRun(RunPlan {
                input_words: u64::MAX,
                output_words: 1,
            }),
            Request::Transfer {
                cycles: MAX_CYCLES,
                words: vec![[1; 32]; MAX_WORDS],
            },
            Request::Clear,
            Request::Goodbye,
            Request::Keep,
        ];
        for request in requests {
            let frame = request.encode();
            assert!(frame.1.len() <= longest_request(frame.0).unwrap());
            assert_eq!(Request::decode(&frame), Ok(request));
        }
        let replies = [
            Reply::Welcome {
                version: VERSION,
                idle: 300_000,
                cycles_per_second: 9,
                name: "rtl".to_owned(),
            },
            Reply::Waiting(2),
            Reply::Done,
            Reply::Value(0x1234_5678),
            Reply::Moved {
                taken: 1,
                output: vec![word; MAX_CYCLES as usize],
            },
            Reply::Failed {
                code: 3,
                text: "no".to_owned(),
            },
        ];
        for reply in replies {
            let frame = reply.encode();
            assert!(frame.1.len() <= longest_reply(frame.0).unwrap());
            assert_eq!(Reply::decode(&frame), Some(reply));
        }
    }

    #[test]
    fn what_is_out_of_range_is_named() {
        let refused = |request: Request| Request::decode(&request.encode()).unwrap_err();
        let refusal = refused(Request::Read(0x1000));
        assert_eq!(refusal.code, Code::Value);
        assert!(refusal.text.contains("0x1000"), "{refusal:?}");
        assert_eq!(
            refused(Request::Write(vec![(0, 1), (u32::MAX, 1)])).code,
            Code::Value
        );
        let refusal = refused(Request::Transfer {
            cycles: MAX_CYCLES + 1,
            words: Vec::new(),
        });
        assert!(refusal.text.contains("4097"), "{refusal:?}");
        // A count that is not that of the words.
        let frame = (
            kind::TRANSFER,
            [1_u32, u32::MAX].map(u32::to_le_bytes).concat(),
        );
        assert_eq!(Request::decode(&frame).unwrap_err().code, Code::Length);
    }
}
