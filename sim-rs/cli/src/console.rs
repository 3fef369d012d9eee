//! Where results and progress go.

use acclmt_poseidon::word::{self, Word};
use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};
use serde::Serialize;

use acclmt_driver::device::Progress;

/// Field elements as text.
pub fn hex(elements: &[Word]) -> Vec<String> {
    elements.iter().map(word::to_hex).collect()
}

/// The output of a command.
pub struct Console<'a> {
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
    show_progress: bool,
}

impl<'a> Console<'a> {
    pub fn new(out: &'a mut dyn Write, err: &'a mut dyn Write, show_progress: bool) -> Self {
        Self {
            out,
            err,
            show_progress,
        }
    }

    /// Prints notes to the standard error, a line each.
    pub fn notes(&mut self, notes: &[String]) -> io::Result<()> {
        for note in notes {
            writeln!(self.err, "note: {note}")?;
        }
        Ok(())
    }

    /// Prints a line of text.
    pub fn line(&mut self, text: impl std::fmt::Display) -> io::Result<()> {
        writeln!(self.out, "{text}")
    }

    /// What was printed is seen now.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Prints a line with a name in front, in a column of its own.
    pub fn entry(&mut self, name: &str, text: impl std::fmt::Display) -> io::Result<()> {
        writeln!(self.out, "{name:<12} {text}")
    }

    /// Prints `value` as one JSON object.
    pub fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut *self.out, value)?;
        writeln!(self.out)
    }

    /// Prints `value` as one JSON object on a line of its own.
    pub fn json_line(&mut self, value: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut *self.out, value)?;
        writeln!(self.out)
    }

    /// A bar for work that `message` describes; it is gone when it is dropped.
    pub fn progress(&self, message: impl Into<Cow<'static, str>>) -> Bar {
        self.progress_of(message, "hashes")
    }

    /// The same for work that is counted in `units`.
    pub fn progress_of(&self, message: impl Into<Cow<'static, str>>, units: &str) -> Bar {
        Bar(self.show_progress.then(|| {
            let template =
                format!("{{msg}} [{{bar:40}}] {{human_pos}} of {{human_len}} {units}, {{left}}");
            let style = ProgressStyle::with_template(&template)
                .expect("the template of the progress bar is valid")
                .with_key(
                    "left",
                    |state: &ProgressState, text: &mut dyn fmt::Write| {
                        // A bar has nobody to tell.
                        let _ = text.write_str(&left(state.eta()));
                    },
                )
                .progress_chars("=> ");
            ProgressBar::new(0).with_style(style).with_message(message)
        }))
    }
}

/// The time that is left, in words. What comes after the last hash was begun is in no estimate.
fn left(time: Duration) -> String {
    match time.as_secs() {
        0 => "about to end".to_owned(),
        _ => format!("{:#} left", HumanDuration(time)),
    }
}

/// A progress bar on standard error, or nothing.
pub struct Bar(Option<ProgressBar>);

impl Bar {
    /// Prints while the bar is out of the way.
    pub fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.0 {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }
}

impl Progress for Bar {
    fn report(&mut self, done: u64, total: u64) {
        if let Some(bar) = &self.0 {
            bar.set_length(total);
            bar.set_position(done);
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_goes_on_has_time_left() {
        assert_eq!(left(Duration::ZERO), "about to end");
        assert_eq!(left(Duration::from_millis(900)), "about to end");
        assert_eq!(left(Duration::from_secs(7)), "7s left");
        assert_eq!(left(Duration::from_secs(180)), "3m left");
    }
}
