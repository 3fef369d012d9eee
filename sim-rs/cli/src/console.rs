//! Where results and progress go.

use std::borrow::Cow;
use std::io::{self, Write};

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use acclmt_driver::device::Progress;

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
            let template = format!(
                "{{msg}} [{{bar:40}}] {{human_pos}} of {{human_len}} {units}, {{eta}} left"
            );
            let style = ProgressStyle::with_template(&template)
                .expect("the template of the progress bar is valid")
                .progress_chars("=> ");
            ProgressBar::new(0).with_style(style).with_message(message)
        }))
    }
}

/// A progress bar on standard error, or nothing.
pub struct Bar(Option<ProgressBar>);

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
