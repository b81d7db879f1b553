//! Files of all problems that are made or kept.

use crate::Problem;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tokio::sync::{Semaphore, watch};

/// Contests whose files are kept in memory.
pub(super) const KEPT_MAX: usize = 8;

/// What was made for all problems of a contest, by what it was made from.
pub struct CombinedFiles {
    pub(super) made: Mutex<BTreeMap<Place, (String, Made)>>,
    /// One is made at a time, since it may take much memory.
    pub(super) statements: Semaphore,
    pub(super) samples: Semaphore,
}

/// A contest, and what is made of its problems.
pub(super) type Place = (String, &'static str);

/// What is made once for all requests, and is finished when they have all gone.
pub(super) type Made = watch::Receiver<Option<Result<Arc<Vec<u8>>, Problem>>>;

impl Default for CombinedFiles {
    fn default() -> Self {
        Self { made: Mutex::default(), statements: Semaphore::new(1), samples: Semaphore::new(1) }
    }
}
