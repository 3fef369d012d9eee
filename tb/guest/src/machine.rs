// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! QEMU: a `pc` machine without KVM, with the device, and its serial line.

use std::ffi::OsString;
use std::io::{self, BufRead as _, BufReader, Read};
use std::os::fd::{AsFd, AsRawFd as _};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::io::{FdFlags, fcntl_setfd};

/// Bytes of a line of the console, and of what QEMU says of itself, that are kept.
const LONGEST: u64 = 1 << 16;

/// Why there is no machine.
#[derive(Debug, thiserror::Error)]
pub enum MachineError {
    /// A file of the guest is not there.
    #[error("cannot read the {what} {path}: {source}")]
    File {
        /// What it is.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// QEMU cannot be started.
    #[error("cannot start {}: {source}; on Debian and Ubuntu: apt-get install qemu-system-x86", program.display())]
    Start {
        /// The program.
        program: OsString,
        /// What went wrong.
        source: io::Error,
    },
    /// Its sockets cannot be made.
    #[error("cannot connect to QEMU: {0}")]
    Connect(io::Error),
    /// It cannot be waited for.
    #[error("cannot wait for QEMU: {0}")]
    Wait(io::Error),
    /// It has failed.
    #[error("QEMU ended with {status}: {said}")]
    Failed {
        /// How it ended.
        status: ExitStatus,
        /// What it said.
        said: String,
    },
    /// It goes on though its devices are gone.
    #[error("QEMU still runs {0:.0?} after it closed the socket of the device")]
    Stays(Duration),
}

/// What machine it is.
#[derive(Clone, Debug)]
pub struct Description {
    /// The program.
    pub qemu: OsString,
    /// The kernel of the guest.
    pub kernel: PathBuf,
    /// Its first file system.
    pub initramfs: PathBuf,
    /// Its memory, in MiB.
    pub memory: u32,
}

impl Description {
    /// The arguments of QEMU, whose ends of the sockets have these numbers.
    fn arguments(&self, device: i32, test: i32) -> Vec<OsString> {
        let memory = self.memory;
        let mut arguments: Vec<OsString> = [
            // The device's own interrupts would need KVM, and those that are used here an I/O APIC in QEMU.
            "-accel",
            "tcg",
            "-cpu",
            "max",
            "-nodefaults",
            "-no-user-config",
            "-no-reboot",
            "-display",
            "none",
            "-vga",
            "none",
            "-serial",
            "stdio",
            "-machine",
            "pc,memory-backend=memory",
            "-append",
            "console=ttyS0 quiet panic=-1",
        ]
        .map(OsString::from)
        .to_vec();
        let mut add = |option: &str, value: OsString| arguments.extend([option.into(), value]);
        add("-m", format!("{memory}M").into());
        add(
            "-object",
            format!("memory-backend-memfd,id=memory,size={memory}M,share=on").into(),
        );
        add("-kernel", self.kernel.clone().into());
        add("-initrd", self.initramfs.clone().into());
        add(
            "-device",
            format!("x-pci-proxy-dev,id=chip,fd={device}").into(),
        );
        add("-chardev", format!("socket,id=test,fd={test}").into());
        add("-object", "qtest,id=qtest,chardev=test,log=none".into());
        arguments
    }
}

/// Sockets to a machine.
pub struct Sockets {
    /// Of the device.
    pub device: UnixStream,
    /// Of the test protocol.
    pub test: UnixStream,
}

/// A machine that runs; it is ended when this is dropped.
pub struct Machine {
    child: Child,
    lines: Receiver<String>,
    said: Option<JoinHandle<String>>,
}

impl Machine {
    /// Starts it.
    ///
    /// # Errors
    ///
    /// When a file of the guest cannot be read, or QEMU cannot be started.
    pub fn start(description: &Description) -> Result<(Self, Sockets), MachineError> {
        let files = [
            ("kernel", &description.kernel),
            ("initramfs", &description.initramfs),
        ];
        for (what, path) in files {
            std::fs::File::open(path).map_err(|source| MachineError::File {
                what,
                path: path.clone(),
                source,
            })?;
        }
        let (device, device_end) = UnixStream::pair().map_err(MachineError::Connect)?;
        let (test, test_end) = UnixStream::pair().map_err(MachineError::Connect)?;
        inherit(&device_end)?;
        inherit(&test_end)?;
        let child = Command::new(&description.qemu)
            .args(description.arguments(device_end.as_raw_fd(), test_end.as_raw_fd()))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = child.map_err(|source| MachineError::Start {
            program: description.qemu.clone(),
            source,
        })?;
        let (sender, lines) = channel();
        if let Some(console) = child.stdout.take() {
            thread::spawn(move || {
                read_lines(console, |line| sender.send(line).is_ok());
            });
        }
        let said = child.stderr.take().map(|mut errors| {
            thread::spawn(move || {
                let mut text = Vec::new();
                // What cannot be read is left out of a message that is one of an error already.
                let _ = errors.by_ref().take(LONGEST).read_to_end(&mut text);
                let _ = io::copy(&mut errors, &mut io::sink());
                String::from_utf8_lossy(&text).trim().to_owned()
            })
        });
        let machine = Self { child, lines, said };
        Ok((machine, Sockets { device, test }))
    }

    /// A line of the console that has not been taken yet.
    pub fn line(&mut self) -> Option<String> {
        self.lines.try_recv().ok()
    }

    /// Waits for the end of QEMU, for at most `most`; returns the rest of the console.
    ///
    /// # Errors
    ///
    /// When it does not end, or has failed.
    pub fn wait(&mut self, most: Duration) -> Result<Vec<String>, MachineError> {
        let until = Instant::now() + most;
        let status = loop {
            if let Some(status) = self.child.try_wait().map_err(MachineError::Wait)? {
                break status;
            }
            if Instant::now() >= until {
                return Err(MachineError::Stays(most));
            }
            thread::sleep(Duration::from_millis(10));
        };
        let lines = self.lines.iter().collect();
        if !status.success() {
            let said = self.said.take().and_then(|said| said.join().ok());
            return Err(MachineError::Failed {
                status,
                said: said
                    .filter(|said| !said.is_empty())
                    .unwrap_or("it said nothing".to_owned()),
            });
        }
        Ok(lines)
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Leaves a file open in processes that are started.
fn inherit(file: impl AsFd) -> Result<(), MachineError> {
    fcntl_setfd(file, FdFlags::empty()).map_err(|error| MachineError::Connect(error.into()))
}

/// Calls `take` for every line, until it says that this is enough.
fn read_lines(console: impl Read, mut take: impl FnMut(String) -> bool) {
    let mut console = BufReader::new(console);
    loop {
        let mut line = Vec::new();
        match console.by_ref().take(LONGEST).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let line = String::from_utf8_lossy(&line);
        if !take(line.trim_end_matches(['\r', '\n']).to_owned()) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// A machine whose QEMU is a script. Another process writes it: what this one has open for writing is open in the
    /// processes as well that other tests are about to start, and a program that is open so is not run.
    fn script(folder: &Path, text: &str) -> Description {
        let [qemu, written] = ["qemu", "text"].map(|name| folder.join(name));
        fs::write(&written, format!("#!/bin/sh\n{text}\n")).unwrap();
        let installed = Command::new("install")
            .args(["-m", "755"])
            .args([&written, &qemu])
            .status();
        assert!(installed.unwrap().success());
        fs::write(folder.join("kernel"), []).unwrap();
        Description {
            qemu: qemu.into(),
            kernel: folder.join("kernel"),
            initramfs: folder.join("kernel"),
            memory: 64,
        }
    }

    #[test]
    fn the_console_and_the_sockets_are_those_of_qemu() {
        let folder = tempfile::tempdir().unwrap();
        let text = r#"
            for argument; do case "$argument" in
              x-pci-proxy-dev,*) device=${argument##*=} ;;
              socket,*) test=${argument##*=} ;;
            esac; done
            printf device >"/proc/self/fd/$device" 2>/dev/null || :
            printf 'one\r\ntwo'
            test -e "/proc/self/fd/$device" && test -e "/proc/self/fd/$test""#;
        let (mut machine, sockets) = Machine::start(&script(folder.path(), text)).unwrap();
        assert_eq!(
            machine.wait(Duration::from_secs(20)).unwrap(),
            ["one", "two"]
        );
        // No end of them is left here.
        for mut socket in [&sockets.device, &sockets.test] {
            socket
                .set_read_timeout(Some(Duration::from_secs(5)))
                .unwrap();
            assert_eq!(socket.read(&mut [0]).unwrap(), 0);
        }
    }

    #[test]
    fn a_failure_is_told_with_what_qemu_said() {
        let folder = tempfile::tempdir().unwrap();
        let text = "echo 'there is no such device' >&2; exit 3";
        let (mut machine, _sockets) = Machine::start(&script(folder.path(), text)).unwrap();
        let message = machine
            .wait(Duration::from_secs(20))
            .unwrap_err()
            .to_string();
        assert!(
            message.contains("exit status: 3: there is no such device"),
            "{message}"
        );
    }

    #[test]
    fn a_machine_ends_when_nobody_wants_it_any_more() {
        let folder = tempfile::tempdir().unwrap();
        let (mut machine, _sockets) =
            Machine::start(&script(folder.path(), "exec sleep 1000")).unwrap();
        let process = format!("/proc/{}", machine.child.id());
        let message = machine
            .wait(Duration::from_millis(50))
            .unwrap_err()
            .to_string();
        assert!(message.contains("still runs 50ms"), "{message}");
        assert!(Path::new(&process).exists());
        drop(machine);
        assert!(!Path::new(&process).exists());
    }

    #[test]
    fn what_is_missing_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let mut description = script(folder.path(), "");
        description.initramfs = "/nowhere/initramfs".into();
        let message = Machine::start(&description).err().unwrap().to_string();
        assert!(
            message.contains("the initramfs /nowhere/initramfs"),
            "{message}"
        );
        description.initramfs = description.kernel.clone();
        description.qemu = "/nowhere/qemu".into();
        let message = Machine::start(&description).err().unwrap().to_string();
        assert!(message.contains("cannot start /nowhere/qemu"), "{message}");
    }
}
