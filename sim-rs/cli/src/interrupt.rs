//! What is left when a run is interrupted: nothing.

use std::io;

use acclmt_merkle::new_file::remove_unfinished;

/// Within this time servers end their sessions, or are not waited for.
#[cfg(unix)]
const SERVERS: std::time::Duration = std::time::Duration::from_secs(2);

/// From now on signals that end the process remove its temporary files and its sockets first, and end its servers and
/// what chips on boards do with its memory. The exit code is then 128 and the number of the signal: 130 for an
/// interrupt from the keyboard.
///
/// # Errors
///
/// When the operating system refuses that.
#[cfg(unix)]
pub fn remove_files_on_signals() -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    // What the caller has the process ignore (`nohup` does that) stays ignored.
    let ignored = ignored();
    let signals = [SIGINT, SIGTERM, SIGHUP];
    let signals = signals
        .into_iter()
        .filter(|signal| ignored >> (signal - 1) & 1 == 0);
    let mut signals = Signals::new(signals)?;
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            if let Some(signal) = signals.forever().next() {
                // First: a chip would write to memory that is no longer that of this process.
                #[cfg(target_os = "linux")]
                acclmt_linux::uio::end_all();
                remove_unfinished();
                acclmt_serve::end_servers(SERVERS);
                // At once: the rest of the process may be in the middle of anything.
                signal_hook::low_level::exit(128 + signal);
            }
        })
        .map(drop)
}

/// The signals that the process ignores, a bit each; none where that cannot be read.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}

#[cfg(not(unix))]
pub fn remove_files_on_signals() -> io::Result<()> {
    Ok(())
}
