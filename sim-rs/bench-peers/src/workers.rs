//! The threads of a measurement.

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// The threads could not be started.
#[derive(Debug, thiserror::Error)]
#[error("{threads} threads cannot be started: {source}; ask for fewer")]
pub struct WorkersError {
    threads: usize,
    source: ThreadPoolBuildError,
}

/// Threads to measure on.
#[derive(Debug)]
pub struct Workers(Option<ThreadPool>);

impl Workers {
    /// The calling thread alone.
    pub fn one() -> Self {
        Self(None)
    }

    /// The calling thread alone for one, and a pool for more threads.
    ///
    /// # Errors
    ///
    /// When the system refuses them.
    pub fn new(threads: usize) -> Result<Self, WorkersError> {
        if threads <= 1 {
            return Ok(Self::one());
        }
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|source| WorkersError { threads, source })?;
        Ok(Self(Some(pool)))
    }

    /// How many threads.
    pub fn threads(&self) -> usize {
        self.0.as_ref().map_or(1, ThreadPool::current_num_threads)
    }

    /// The pool, or nothing for the calling thread.
    pub(crate) fn pool(&self) -> Option<&ThreadPool> {
        self.0.as_ref()
    }
}
