//! The time of hashes.

use std::time::{Duration, Instant};

use crate::peer::Timed;
use crate::workers::Workers;

/// A batch of hashes takes about this time, or less where the whole measurement is short.
const BATCH: Duration = Duration::from_millis(10);

/// Batches of the shortest measurement.
const LEAST_BATCHES: u32 = 10;

/// What batches of hashes took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HashTiming {
    /// Nanoseconds per hash in the median batch: the time of the batch over its hashes, which all threads
    /// have shared.
    pub nanoseconds_per_hash: f64,
    /// The same in the fastest batch, which other load on the machine has disturbed least.
    pub fastest_nanoseconds_per_hash: f64,
    /// Hashes of all batches.
    pub hashes: u64,
}

/// Warms up for a tenth of `time`, and then measures batches of hashes for `time`.
pub fn hashes(timed: &dyn Timed, workers: &Workers, time: Duration) -> HashTiming {
    let mut batch = 1;
    let target = BATCH.min(time / LEAST_BATCHES);
    let start = Instant::now();
    loop {
        let start_of_batch = Instant::now();
        batch = timed.run(batch, workers);
        let is_long_enough = start_of_batch.elapsed() >= target;
        if is_long_enough && start.elapsed() >= time / 10 {
            break;
        }
        if !is_long_enough {
            batch *= 2;
        }
    }
    let mut total = 0;
    let per_hash = repeat(time, 1, || {
        let start = Instant::now();
        let hashes = timed.run(batch, workers);
        total += hashes;
        start.elapsed().as_secs_f64() * 1e9 / hashes as f64
    });
    HashTiming {
        nanoseconds_per_hash: median(&per_hash),
        fastest_nanoseconds_per_hash: fastest(&per_hash),
        hashes: total,
    }
}

/// Results of `measure`, repeated for `time` and at least `least` times, in ascending order.
pub(crate) fn repeat(time: Duration, least: usize, mut measure: impl FnMut() -> f64) -> Vec<f64> {
    let start = Instant::now();
    let mut results = Vec::new();
    while results.len() < least || start.elapsed() < time {
        results.push(measure());
    }
    results.sort_by(f64::total_cmp);
    results
}

/// The median of numbers in ascending order, at least one.
pub(crate) fn median(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    if sorted.len().is_multiple_of(2) {
        (sorted[middle - 1] + sorted[middle]) / 2.0
    } else {
        sorted[middle]
    }
}

/// The first of numbers in ascending order, at least one.
pub(crate) fn fastest(sorted: &[f64]) -> f64 {
    sorted[0]
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::peer::Identity;

    /// A hash that takes a known time.
    struct Sleeper {
        identity: Identity,
        time: Duration,
    }

    impl Timed for Sleeper {
        fn identity(&self) -> &Identity {
            &self.identity
        }

        fn arity(&self) -> usize {
            2
        }

        fn run(&self, hashes: u64, _workers: &Workers) -> u64 {
            // Two lanes.
            let hashes = hashes.next_multiple_of(2);
            thread::sleep(self.time * u32::try_from(hashes).unwrap());
            hashes
        }
    }

    #[test]
    fn time_is_that_of_a_hash() {
        let sleeper = Sleeper {
            identity: Identity::new("acclmt", "filecoin-arity-2", true),
            time: Duration::from_micros(500),
        };
        let timing = hashes(&sleeper, &Workers::one(), Duration::from_millis(200));
        // Sleeps are never shorter, and a busy machine makes them longer.
        assert!(
            timing.fastest_nanoseconds_per_hash >= 500_000.0,
            "{timing:?}"
        );
        assert!(timing.fastest_nanoseconds_per_hash <= timing.nanoseconds_per_hash);
        assert!((2..=400).contains(&timing.hashes), "{timing:?}");
    }

    #[test]
    fn medians() {
        assert_eq!(median(&[3.0]), 3.0);
        assert_eq!(median(&[3.0, 5.0]), 4.0);
        assert_eq!(median(&[1.0, 2.0, 9.0]), 2.0);
    }

    #[test]
    fn at_least_so_many_results_in_order() {
        let mut numbers = [3.0, 1.0, 2.0].into_iter();
        let results = repeat(Duration::ZERO, 3, || numbers.next().unwrap());
        assert_eq!(results, [1.0, 2.0, 3.0]);
    }
}
