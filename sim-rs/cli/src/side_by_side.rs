//! Work that is done side by side, and what is said before work that takes minutes.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::backends::{BackendFactory, MODEL};
use crate::console::{Bar, Console};
use crate::error::CommandError;
use acclmt_driver::device::Progress;

/// Threads that work: as many as there are processors, and no more than tasks.
pub fn threads(tasks: usize) -> usize {
    let processors = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    processors.min(tasks).max(1)
}

/// What a thread says.
enum Event<R> {
    /// So much of a task is done.
    Progress(usize, u64),
    /// A task has ended.
    End(usize, Result<R, CommandError>),
}

/// Does `work` for each of `tasks`, several at a time, and hands over the results in the order of the tasks, each
/// as soon as it and all before it are there. Progress is the sum of what the tasks report, of `total`.
///
/// # Errors
///
/// When a task or `take` fails: no task begins then, and those that have begun are waited for.
pub fn run<T: Sync, R: Send>(
    tasks: &[T],
    bar: &mut Bar,
    total: u64,
    work: impl Fn(&T, &mut dyn Progress) -> Result<R, CommandError> + Sync,
    mut take: impl FnMut(usize, R, &mut Bar) -> Result<(), CommandError>,
) -> Result<(), CommandError> {
    let next = AtomicUsize::new(0);
    let stops = AtomicBool::new(false);
    let (sender, receiver) = mpsc::channel();
    let (next, stops, work) = (&next, &stops, &work);
    thread::scope(|scope| {
        for _ in 0..threads(tasks.len()) {
            let sender = sender.clone();
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(task) = tasks.get(number) else {
                        return;
                    };
                    if stops.load(Ordering::Relaxed) {
                        return;
                    }
                    // Nobody listens any more when another task has failed.
                    let result = work(task, &mut |done: u64, _: u64| {
                        let _ = sender.send(Event::Progress(number, done));
                    });
                    let _ = sender.send(Event::End(number, result));
                }
            });
        }
        drop(sender);
        let mut done = vec![0; tasks.len()];
        let mut results: Vec<Option<R>> = tasks.iter().map(|_| None).collect();
        let mut taken = 0;
        let deliver = || {
            for event in receiver {
                match event {
                    Event::Progress(number, now) => {
                        done[number] = now;
                        bar.report(done.iter().sum(), total);
                    }
                    Event::End(number, result) => results[number] = Some(result?),
                }
                while let Some(result) = results.get_mut(taken).and_then(Option::take) {
                    take(taken, result, bar)?;
                    taken += 1;
                }
            }
            Ok(())
        };
        let result = deliver();
        stops.store(true, Ordering::Relaxed);
        result
    })
}

/// Simulated clock cycles, and how long they take.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effort {
    /// Cycles of all tasks, and of the longest one.
    pub cycles: f64,
    /// See `cycles`.
    pub longest: f64,
    /// Tasks.
    pub tasks: usize,
    /// Cycles that took so long.
    pub sample: (u64, Duration),
}

/// Work that takes longer is said before it begins.
const LONG: Duration = Duration::from_secs(60);

impl Effort {
    /// How long it takes, by the sample.
    fn time(&self) -> Duration {
        let (cycles, time) = self.sample;
        let per_cycle = time.as_secs_f64() / cycles.max(1) as f64;
        let cycles = (self.cycles / threads(self.tasks) as f64).max(self.longest);
        Duration::try_from_secs_f64(per_cycle * cycles).unwrap_or(Duration::MAX)
    }

    /// The note about it, if it takes minutes.
    fn note(&self, faster: Option<&str>) -> Option<String> {
        let time = self.time();
        if time < LONG {
            return None;
        }
        let minutes = time.as_secs().div_ceil(60);
        let time = match minutes {
            1..=119 => format!("{minutes} minutes"),
            _ => format!("{} hours", minutes.div_ceil(60)),
        };
        let mut note = format!(
            "this takes about {time}: {:.0} clock cycles are simulated",
            self.cycles
        );
        if let Some(faster) = faster {
            note += &format!("; --backend {faster} counts the same cycles in seconds");
        }
        Some(note)
    }

    /// Says so if it takes minutes.
    ///
    /// # Errors
    ///
    /// When nothing can be said.
    pub fn announce(
        &self,
        backends: &dyn BackendFactory,
        backend: &str,
        console: &mut Console<'_>,
    ) -> Result<(), CommandError> {
        // The model counts many cycles at once: its time does not grow with them.
        if backend == MODEL {
            return Ok(());
        }
        let faster = backends.names().iter().find(|name| **name == MODEL);
        let notes: Vec<String> = self.note(faster.copied()).into_iter().collect();
        Ok(console.notes(&notes)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_tasks() {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let console = Console::new(&mut out, &mut err, false);
        let tasks: Vec<u64> = (0..50).collect();
        let mut taken = Vec::new();
        let work = |&task: &u64, progress: &mut dyn Progress| {
            progress.report(1, 1);
            // Later ones are ready earlier.
            thread::sleep(Duration::from_millis(5 - task % 5));
            Ok(task * task)
        };
        run(
            &tasks,
            &mut console.progress("test"),
            50,
            work,
            |number, result, _| {
                assert_eq!(result, (number * number) as u64);
                taken.push(number);
                Ok(())
            },
        )
        .unwrap();
        assert_eq!(taken, (0..50).collect::<Vec<_>>());
    }

    #[test]
    fn a_failure_ends_the_work() {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let console = Console::new(&mut out, &mut err, false);
        let tasks: Vec<u64> = (0..10_000).collect();
        let begun = AtomicUsize::new(0);
        let work = |&task: &u64, _: &mut dyn Progress| {
            begun.fetch_add(1, Ordering::Relaxed);
            thread::sleep(Duration::from_millis(1));
            if task == 3 {
                return Err(CommandError::Failure("three".to_owned()));
            }
            Ok(())
        };
        let mut bar = console.progress("test");
        let error = run(&tasks, &mut bar, 0, work, |_, (), _| Ok(())).unwrap_err();
        assert_eq!(error.to_string(), "three");
        assert!(begun.load(Ordering::Relaxed) < tasks.len());
    }

    #[test]
    fn minutes_are_said() {
        let effort = |seconds: u64| Effort {
            cycles: 640_000.0,
            longest: 640_000.0,
            tasks: 1,
            sample: (640_000, Duration::from_secs(seconds)),
        };
        assert_eq!(effort(59).note(Some("model")), None);
        let note = effort(250).note(Some("model")).unwrap();
        assert!(
            note.contains("about 5 minutes: 640000 clock cycles"),
            "{note}"
        );
        assert!(note.contains("--backend model"), "{note}");
        assert!(!effort(250).note(None).unwrap().contains("--backend"));
        assert!(effort(9000).note(None).unwrap().contains("3 hours"));
        // Nothing was measured.
        let none = Effort::default();
        assert_eq!(none.note(None), None);
    }
}
