// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! QEMU's protocol for a device in another process, that of `x-pci-proxy-dev`: messages on a Unix socket, some of
//! them with file descriptors. A message is a header of 16 bytes (command, padding, length) and its data, in the
//! layout of a 64-bit little-endian processor.

use std::fs::File;
use std::io::{self, IoSliceMut, Read as _, Write as _};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, recvmsg};

/// Bytes of a header.
const HEADER: usize = 16;

/// File descriptors that a message has at most.
const FILES: usize = 8;

/// Bytes of the data of the longest message, that of the memory.
const LONGEST: usize = 3 * 8 * FILES;

/// How long the rest of a message may take that has begun.
const REST: Duration = Duration::from_secs(10);

/// Commands.
const MEMORY: i32 = 0;
const ANSWER: i32 = 1;
const CONFIGURATION_WRITE: i32 = 2;
const CONFIGURATION_READ: i32 = 3;
const REGISTER_WRITE: i32 = 4;
const REGISTER_READ: i32 = 5;
const INTERRUPTS: i32 = 6;
const RESET: i32 = 7;

/// Why the connection to QEMU is of no use.
#[derive(Debug, thiserror::Error)]
pub enum ProxyError {
    /// The socket failed.
    #[error("the socket to QEMU failed: {0}")]
    Socket(#[from] io::Error),
    /// A message ended before its end.
    #[error(
        "QEMU closed its socket within a message, after {got} of {expected} bytes of its {part}"
    )]
    Short {
        /// Header or data.
        part: &'static str,
        /// Bytes that came.
        got: usize,
        /// Bytes that it has.
        expected: usize,
    },
    /// There is no such command.
    #[error("QEMU sent command {command}, which is unknown; QEMU 7.2 has 0 to 7 without 1")]
    Command {
        /// The command.
        command: i32,
    },
    /// The data has another length.
    #[error(
        "QEMU sent {bytes} bytes with command {command}, which has {expected}; QEMU 7.2 is known to fit"
    )]
    Length {
        /// The command.
        command: i32,
        /// Its bytes.
        bytes: u64,
        /// Those that it should have.
        expected: usize,
    },
    /// The message has another number of file descriptors.
    #[error("QEMU sent {files} file descriptors with command {command}, expected {expected}")]
    Files {
        /// The command.
        command: i32,
        /// File descriptors.
        files: usize,
        /// What it should have.
        expected: &'static str,
    },
    /// An access has an impossible width.
    #[error(
        "QEMU sent an access of {bytes} bytes with command {command}; 1, 2, 4 and 8 are possible"
    )]
    Width {
        /// The command.
        command: i32,
        /// Bytes of the access.
        bytes: i64,
    },
}

/// A part of the memory of the guest.
#[derive(Debug)]
pub struct Part {
    /// The file with it.
    pub file: File,
    /// Where it is in the file.
    pub offset: u64,
    /// Where the guest has it.
    pub address: u64,
    /// Its bytes.
    pub bytes: u64,
}

/// An access of one to eight bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The address: of configuration space, or on the bus.
    pub address: u64,
    /// Bytes: 1, 2, 4 or 8; up to 4 of configuration space.
    pub bytes: u8,
}

/// A message of QEMU.
#[derive(Debug)]
pub enum Message {
    /// From now on this is all of the memory.
    Memory(Vec<Part>),
    /// A write of configuration space, which is answered.
    ConfigurationWrite(Access, u32),
    /// A read of configuration space, which is answered.
    ConfigurationRead(Access),
    /// A write within a resource, which is answered.
    Write(Access, u64),
    /// A read within a resource, which is answered.
    Read(Access),
    /// Files for interrupts, which only KVM would take.
    Interrupts,
    /// A reset, which is answered.
    Reset,
}

/// What a wait for a message has brought.
#[derive(Debug)]
pub enum Received {
    /// A message.
    Message(Message),
    /// None, for as long as was to be waited.
    Nothing,
    /// QEMU has ended.
    Closed,
}

/// The side of the device.
pub struct Proxy {
    socket: UnixStream,
}

impl Proxy {
    /// Talks to QEMU at the other end of `socket`.
    ///
    /// # Errors
    ///
    /// When the socket takes no time limit.
    pub fn new(socket: UnixStream) -> Result<Self, ProxyError> {
        socket.set_read_timeout(Some(REST))?;
        socket.set_write_timeout(Some(REST))?;
        Ok(Self { socket })
    }

    /// Waits for a message, for at most `most`.
    ///
    /// # Errors
    ///
    /// When the socket fails, or what comes is no message of the protocol.
    pub fn receive(&mut self, most: Duration) -> Result<Received, ProxyError> {
        let time = Timespec::try_from(most).map_err(io::Error::other)?;
        let mut files = [PollFd::new(&self.socket, PollFlags::IN)];
        match poll(&mut files, Some(&time)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(Received::Nothing),
            Ok(_) => {}
            Err(error) => return Err(ProxyError::Socket(error.into())),
        }
        let mut header = [0; HEADER];
        let (got, files) = self.begin(&mut header)?;
        if got == 0 {
            return Ok(Received::Closed);
        }
        self.rest("header", &mut header, got)?;
        let command = i32::from_le_bytes([0, 1, 2, 3].map(|byte| header[byte]));
        let bytes = u64_at(&header, 8);
        let expected = match command {
            MEMORY => LONGEST,
            CONFIGURATION_WRITE | CONFIGURATION_READ => 12,
            REGISTER_WRITE | REGISTER_READ => 24,
            INTERRUPTS | RESET => 0,
            _ => return Err(ProxyError::Command { command }),
        };
        if bytes != expected as u64 {
            return Err(ProxyError::Length {
                command,
                bytes,
                expected,
            });
        }
        let allowed = match command {
            MEMORY => (1..=FILES)
                .contains(&files.len())
                .then_some("")
                .ok_or("1 to 8"),
            INTERRUPTS => (files.len() == 2).then_some("").ok_or("2"),
            _ => files.is_empty().then_some("").ok_or("0"),
        };
        allowed.map_err(|expected| ProxyError::Files {
            command,
            files: files.len(),
            expected,
        })?;
        let mut data = [0; LONGEST];
        let data = &mut data[..expected];
        self.rest("data", data, 0)?;
        Ok(Received::Message(parse(command, data, files)?))
    }

    /// Answers a message that is to be answered.
    ///
    /// # Errors
    ///
    /// When the socket fails.
    pub fn answer(&mut self, value: u64) -> Result<(), ProxyError> {
        let mut message = [0; HEADER + 8];
        message[..4].copy_from_slice(&ANSWER.to_le_bytes());
        message[8..16].copy_from_slice(&8_u64.to_le_bytes());
        message[16..].copy_from_slice(&value.to_le_bytes());
        Ok(self.socket.write_all(&message)?)
    }

    /// The first bytes of a message, with its file descriptors.
    fn begin(&mut self, header: &mut [u8]) -> Result<(usize, Vec<OwnedFd>), ProxyError> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FILES))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let received = recvmsg(
            &self.socket,
            &mut [IoSliceMut::new(header)],
            &mut control,
            RecvFlags::CMSG_CLOEXEC,
        );
        let received = match received {
            // It ended without having read all answers.
            Err(rustix::io::Errno::CONNRESET) => return Ok((0, Vec::new())),
            received => received.map_err(|error| ProxyError::Socket(error.into()))?,
        };
        let files: Vec<_> = control
            .drain()
            .filter_map(|message| match message {
                RecvAncillaryMessage::ScmRights(files) => Some(files),
                _ => None,
            })
            .flatten()
            .collect();
        if received.flags.contains(ReturnFlags::CTRUNC) {
            return Err(ProxyError::Socket(io::Error::other(
                "file descriptors were lost: there are too many for this process, or for a message",
            )));
        }
        Ok((received.bytes, files))
    }

    /// Fills `bytes`, of which `got` are there.
    fn rest(
        &mut self,
        part: &'static str,
        bytes: &mut [u8],
        mut got: usize,
    ) -> Result<(), ProxyError> {
        while got < bytes.len() {
            match self.socket.read(&mut bytes[got..]) {
                Ok(0) => {
                    return Err(ProxyError::Short {
                        part,
                        got,
                        expected: bytes.len(),
                    });
                }
                Ok(count) => got += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

fn u32_at(data: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([0, 1, 2, 3].map(|byte| data[at + byte]))
}

fn u64_at(data: &[u8], at: usize) -> u64 {
    u64::from(u32_at(data, at)) | u64::from(u32_at(data, at + 4)) << 32
}

/// The message with this data, whose length was checked.
fn parse(command: i32, data: &[u8], files: Vec<OwnedFd>) -> Result<Message, ProxyError> {
    let access = |address, bytes: i64, most: i64| match u8::try_from(bytes) {
        Ok(width @ (1 | 2 | 4 | 8)) if bytes <= most => Ok(Access {
            address,
            bytes: width,
        }),
        _ => Err(ProxyError::Width { command, bytes }),
    };
    let configuration = || {
        let bytes = i64::from(u32_at(data, 8) as i32);
        access(u32_at(data, 0).into(), bytes, 4)
    };
    let register = || access(u64_at(data, 0), u32_at(data, 16).into(), 8);
    Ok(match command {
        MEMORY => {
            let files = files.into_iter().enumerate();
            Message::Memory(
                files
                    .map(|(number, file)| Part {
                        file: file.into(),
                        address: u64_at(data, 8 * number),
                        bytes: u64_at(data, 8 * (FILES + number)),
                        offset: u64_at(data, 8 * (2 * FILES + number)),
                    })
                    .collect(),
            )
        }
        CONFIGURATION_WRITE => Message::ConfigurationWrite(configuration()?, u32_at(data, 4)),
        CONFIGURATION_READ => Message::ConfigurationRead(configuration()?),
        REGISTER_WRITE => Message::Write(register()?, u64_at(data, 8)),
        REGISTER_READ => Message::Read(register()?),
        INTERRUPTS => Message::Interrupts,
        RESET => Message::Reset,
        _ => return Err(ProxyError::Command { command }),
    })
}

/// QEMU's side, for tests.
#[cfg(any(test, feature = "testing"))]
pub mod peer {
    use std::io::{self, IoSlice, Read as _};
    use std::mem::MaybeUninit;
    use std::os::fd::BorrowedFd;
    use std::os::unix::net::UnixStream;

    use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

    use super::{ANSWER, FILES, u32_at, u64_at};

    /// Sends bytes, with file descriptors.
    ///
    /// # Errors
    ///
    /// When the socket fails.
    pub fn send(socket: &UnixStream, bytes: &[u8], files: &[BorrowedFd<'_>]) -> io::Result<()> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FILES + 1))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        if !files.is_empty() && !control.push(SendAncillaryMessage::ScmRights(files)) {
            return Err(io::Error::other("too many files"));
        }
        let sent = sendmsg(
            socket,
            &[IoSlice::new(bytes)],
            &mut control,
            SendFlags::NOSIGNAL,
        )?;
        if sent == bytes.len() {
            Ok(())
        } else {
            Err(io::Error::other("sent in part only"))
        }
    }

    /// A message: header and data.
    pub fn message(command: i32, data: &[u8]) -> Vec<u8> {
        let length = data.len() as u64;
        [
            &command.to_le_bytes()[..],
            &[0; 4],
            &length.to_le_bytes(),
            data,
        ]
        .concat()
    }

    /// The message of an access within a resource.
    pub fn access(command: i32, address: u64, value: u64, bytes: u32) -> Vec<u8> {
        let (address, value) = (address.to_le_bytes(), value.to_le_bytes());
        message(
            command,
            &[&address[..], &value, &bytes.to_le_bytes(), &[1, 0, 0, 0]].concat(),
        )
    }

    /// The message of an access to configuration space.
    pub fn configuration(command: i32, address: u32, value: u32, bytes: i32) -> Vec<u8> {
        let (address, value) = (address.to_le_bytes(), value.to_le_bytes());
        message(
            command,
            &[&address[..], &value, &bytes.to_le_bytes()].concat(),
        )
    }

    /// The message of memory: address, bytes and offset of each part.
    pub fn memory(parts: &[(u64, u64, u64)]) -> Vec<u8> {
        let mut data = [0; super::LONGEST];
        for (number, (address, bytes, offset)) in parts.iter().enumerate() {
            for (row, value) in [address, bytes, offset].into_iter().enumerate() {
                data[8 * (FILES * row + number)..][..8].copy_from_slice(&value.to_le_bytes());
            }
        }
        message(super::MEMORY, &data)
    }

    /// Waits for an answer.
    ///
    /// # Errors
    ///
    /// When the socket fails, or something else comes.
    pub fn answer(mut socket: &UnixStream) -> io::Result<u64> {
        let mut bytes = [0; 24];
        socket.read_exact(&mut bytes)?;
        if u32_at(&bytes, 0) == ANSWER as u32 && u64_at(&bytes, 8) == 8 {
            Ok(u64_at(&bytes, 16))
        } else {
            Err(io::Error::other("this is no answer"))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd as _;

    use super::*;

    fn pair() -> (UnixStream, Proxy) {
        let (peer, socket) = UnixStream::pair().unwrap();
        (peer, Proxy::new(socket).unwrap())
    }

    fn received(bytes: &[u8]) -> Message {
        let (peer, mut proxy) = pair();
        peer::send(&peer, bytes, &[]).unwrap();
        match proxy.receive(Duration::from_secs(5)).unwrap() {
            Received::Message(message) => message,
            other => panic!("{other:?}"),
        }
    }

    fn error(bytes: &[u8], files: usize) -> String {
        let (peer, mut proxy) = pair();
        let file = tempfile::tempfile().unwrap();
        peer::send(&peer, bytes, &vec![file.as_fd(); files]).unwrap();
        drop(peer);
        proxy
            .receive(Duration::from_secs(5))
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn accesses_are_understood() {
        let Message::Write(access, value) =
            received(&peer::access(4, 0xFEBF_0908, 0x1_0000_0003, 4))
        else {
            panic!("no write");
        };
        assert_eq!(
            (access.address, access.bytes, value),
            (0xFEBF_0908, 4, 0x1_0000_0003)
        );
        let Message::Read(access) = received(&peer::access(5, u64::MAX, 0, 8)) else {
            panic!("no read");
        };
        assert_eq!((access.address, access.bytes), (u64::MAX, 8));
        let Message::ConfigurationWrite(access, value) =
            received(&peer::configuration(2, 0x3C, 11, 1))
        else {
            panic!("no write");
        };
        assert_eq!((access.address, access.bytes, value), (0x3C, 1, 11));
        let message = received(&peer::configuration(3, 0x10, 0, 4));
        assert!(matches!(
            message,
            Message::ConfigurationRead(Access {
                address: 0x10,
                bytes: 4
            })
        ));
        assert!(matches!(received(&peer::message(7, &[])), Message::Reset));
    }

    #[test]
    fn memory_comes_with_its_files() {
        let (peer, mut proxy) = pair();
        let files = [(), ()].map(|()| tempfile::tempfile().unwrap());
        files[1].set_len(77).unwrap();
        let sent = peer::memory(&[(0, 0xA_0000, 0), (0xC_0000, 0x4000, 0xC_0000)]);
        peer::send(&peer, &sent, &[files[0].as_fd(), files[1].as_fd()]).unwrap();
        let Received::Message(Message::Memory(parts)) =
            proxy.receive(Duration::from_secs(5)).unwrap()
        else {
            panic!("no memory");
        };
        let places: Vec<_> = parts
            .iter()
            .map(|part| (part.address, part.bytes, part.offset))
            .collect();
        assert_eq!(places, [(0, 0xA_0000, 0), (0xC_0000, 0x4000, 0xC_0000)]);
        assert_eq!(parts[1].file.metadata().unwrap().len(), 77);
    }

    #[test]
    fn an_answer_has_the_layout_of_qemu() {
        let (peer, mut proxy) = pair();
        proxy.answer(0x1234_5678_9ABC_DEF0).unwrap();
        assert_eq!(peer::answer(&peer).unwrap(), 0x1234_5678_9ABC_DEF0);
    }

    #[test]
    fn silence_and_an_end_are_no_errors() {
        let (peer, mut proxy) = pair();
        assert!(matches!(
            proxy.receive(Duration::ZERO).unwrap(),
            Received::Nothing
        ));
        drop(peer);
        assert!(matches!(
            proxy.receive(Duration::ZERO).unwrap(),
            Received::Closed
        ));
    }

    #[test]
    fn what_is_no_message_is_told() {
        for (bytes, files, expected) in [
            (peer::message(8, &[]), 0, "command 8, which is unknown"),
            (peer::message(1, &[0; 8]), 0, "command 1, which is unknown"),
            (peer::message(-1, &[]), 0, "command -1, which is unknown"),
            (
                peer::message(5, &[0; 23]),
                0,
                "23 bytes with command 5, which has 24",
            ),
            (
                peer::message(0, &[0; 191]),
                1,
                "191 bytes with command 0, which has 192",
            ),
            (
                peer::memory(&[]),
                0,
                "0 file descriptors with command 0, expected 1 to 8",
            ),
            (
                peer::message(6, &[]),
                1,
                "1 file descriptors with command 6, expected 2",
            ),
            (
                peer::access(5, 0, 0, 4),
                1,
                "1 file descriptors with command 5, expected 0",
            ),
            (
                peer::access(5, 0, 0, 3),
                0,
                "access of 3 bytes with command 5",
            ),
            (
                peer::access(4, 0, 0, 0),
                0,
                "access of 0 bytes with command 4",
            ),
            (
                peer::configuration(3, 0, 0, 8),
                0,
                "access of 8 bytes with command 3",
            ),
            (
                peer::configuration(3, 0, 0, -4),
                0,
                "access of -4 bytes with command 3",
            ),
        ] {
            let message = error(&bytes, files);
            assert!(message.contains(expected), "{message}");
        }
        let huge = [&5_i32.to_le_bytes()[..], &[0; 4], &u64::MAX.to_le_bytes()].concat();
        let message = error(&huge, 0);
        assert!(message.contains("18446744073709551615 bytes"), "{message}");
        let message = error(&peer::access(5, 0, 0, 4)[..9], 0);
        assert!(
            message.contains("after 9 of 16 bytes of its header"),
            "{message}"
        );
        let message = error(&peer::access(5, 0, 0, 4)[..30], 0);
        assert!(
            message.contains("after 14 of 24 bytes of its data"),
            "{message}"
        );
    }
}
