// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The interrupt line of the device into the I/O APIC of the guest, by the test protocol of QEMU (`-qtest`).
//! `x-pci-proxy-dev` itself has interrupts only where KVM is.
//!
//! QEMU answers a command when its main loop comes to it, which is not before an access of the guest to the device
//! is answered. So nobody waits for an answer here: they are read as they come.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::net::UnixStream;

/// Why the interrupt cannot be raised.
#[derive(Debug, thiserror::Error)]
pub enum InterruptError {
    /// The socket failed.
    #[error("the socket for interrupts failed: {0}")]
    Socket(#[from] io::Error),
    /// QEMU refused it.
    #[error(
        "QEMU refused to change the interrupt: '{answer}'; the machine has to be 'pc' with an I/O APIC"
    )]
    Refused {
        /// What it said.
        answer: String,
    },
    /// The guest has not said which line it is.
    #[error(
        "the chip interrupts, and the guest has routed the interrupt to no line (Interrupt Line is {line})"
    )]
    NoLine {
        /// What stands in the configuration space.
        line: u8,
    },
}

/// Inputs of the I/O APIC.
const INPUTS: u8 = 24;

/// The line.
pub struct Interrupt {
    socket: UnixStream,
    /// The input that is high.
    raised: Option<u8>,
    /// What QEMU has not taken yet.
    waiting: Vec<u8>,
    /// The beginning of an answer.
    answer: Vec<u8>,
    /// How often it was raised.
    count: u64,
}

impl Interrupt {
    /// The line of the machine whose test protocol is at the other end of `socket`.
    ///
    /// # Errors
    ///
    /// When the socket cannot be used without waiting.
    pub fn new(socket: UnixStream) -> Result<Self, InterruptError> {
        socket.set_nonblocking(true)?;
        Ok(Self {
            socket,
            raised: None,
            waiting: Vec::new(),
            answer: Vec::new(),
            count: 0,
        })
    }

    /// How often it was raised.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Sets the level: that of the input `line` of the I/O APIC, which the guest has chosen.
    ///
    /// # Errors
    ///
    /// When there is no such input, the socket fails, or QEMU has refused a change before.
    pub fn set(&mut self, level: bool, line: u8) -> Result<(), InterruptError> {
        let wanted = match (level, line) {
            (false, _) => None,
            (true, 1..INPUTS) => Some(line),
            (true, _) => return Err(InterruptError::NoLine { line }),
        };
        if wanted != self.raised {
            if let Some(line) = self.raised {
                self.command(line, 0);
            }
            if let Some(line) = wanted {
                self.command(line, 1);
                self.count += 1;
            }
            self.raised = wanted;
        }
        self.exchange()
    }

    fn command(&mut self, line: u8, level: u8) {
        let text = format!("set_irq_in /machine/i440fx/ioapic unnamed-gpio-in {line} {level}\n");
        self.waiting.extend(text.into_bytes());
    }

    /// Sends what is waiting, and looks at the answers, without waiting for either.
    fn exchange(&mut self) -> Result<(), InterruptError> {
        while !self.waiting.is_empty() {
            match self.socket.write(&self.waiting) {
                Ok(count) => drop(self.waiting.drain(..count)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // QEMU has ended, which the device hears of by its own socket.
                Err(error) if error.kind() == ErrorKind::BrokenPipe => break,
                Err(error) => return Err(error.into()),
            }
        }
        let mut bytes = [0; 256];
        loop {
            match self.socket.read(&mut bytes) {
                Ok(0) => break,
                Ok(count) => self.take(&bytes[..count])?,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::ConnectionReset => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), InterruptError> {
        for &byte in bytes {
            if byte != b'\n' {
                self.answer.push(byte);
                continue;
            }
            let answer = String::from_utf8_lossy(&self.answer).trim().to_owned();
            self.answer.clear();
            if answer != "OK" {
                return Err(InterruptError::Refused { answer });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line() -> (UnixStream, Interrupt) {
        let (peer, socket) = UnixStream::pair().unwrap();
        peer.set_nonblocking(true).unwrap();
        (peer, Interrupt::new(socket).unwrap())
    }

    fn sent(mut peer: &UnixStream) -> String {
        let mut bytes = [0; 4096];
        match peer.read(&mut bytes) {
            Ok(count) => String::from_utf8(bytes[..count].to_vec()).unwrap(),
            Err(error) if error.kind() == ErrorKind::WouldBlock => String::new(),
            Err(error) => panic!("{error}"),
        }
    }

    #[test]
    fn only_changes_are_sent() {
        let (peer, mut interrupt) = line();
        interrupt.set(false, 0).unwrap();
        assert_eq!(sent(&peer), "");
        interrupt.set(true, 11).unwrap();
        interrupt.set(true, 11).unwrap();
        assert_eq!(
            sent(&peer),
            "set_irq_in /machine/i440fx/ioapic unnamed-gpio-in 11 1\n"
        );
        (&peer).write_all(b"OK\n").unwrap();
        interrupt.set(false, 11).unwrap();
        assert_eq!(
            sent(&peer),
            "set_irq_in /machine/i440fx/ioapic unnamed-gpio-in 11 0\n"
        );
        assert_eq!(interrupt.count(), 1);
    }

    #[test]
    fn a_raised_interrupt_moves_with_its_line() {
        let (peer, mut interrupt) = line();
        interrupt.set(true, 10).unwrap();
        sent(&peer);
        interrupt.set(true, 11).unwrap();
        let text = sent(&peer);
        assert!(
            text.contains("in 10 0\n") && text.ends_with("in 11 1\n"),
            "{text}"
        );
    }

    #[test]
    fn a_line_that_is_none_is_told() {
        for number in [0, 24, 255] {
            let (_peer, mut interrupt) = line();
            let message = interrupt.set(true, number).unwrap_err().to_string();
            assert!(message.contains(&format!("is {number})")), "{message}");
            interrupt.set(false, number).unwrap();
        }
    }

    #[test]
    fn a_refusal_is_told_even_in_parts() {
        let (peer, mut interrupt) = line();
        (&peer).write_all(b"OK\nFAIL Unknown").unwrap();
        interrupt.set(true, 11).unwrap();
        (&peer).write_all(b" device\n").unwrap();
        let message = interrupt.set(true, 11).unwrap_err().to_string();
        assert!(message.contains("'FAIL Unknown device'"), "{message}");
    }

    #[test]
    fn nobody_waits_for_a_peer_that_does_not_read() {
        let (peer, mut interrupt) = line();
        let changes = 20_000;
        for number in 0..changes {
            interrupt.set(number % 2 == 0, 11).unwrap();
        }
        assert!(!interrupt.waiting.is_empty(), "the socket takes everything");
        let mut text = String::new();
        while text.matches('\n').count() < changes {
            text += &sent(&peer);
            interrupt.set(false, 11).unwrap();
        }
        assert!(text.ends_with(" 0\n"));
    }

    #[test]
    fn the_end_of_qemu_is_no_error() {
        let (peer, mut interrupt) = line();
        drop(peer);
        interrupt.set(true, 11).unwrap();
    }
}
