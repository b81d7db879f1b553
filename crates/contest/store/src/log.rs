//! The event log, and transactions on it and on jobs.

use crate::{CancelledJob, Claim, ClaimedJob, JobCount, JobId, Lease, ListedJob, NewJob, StoreError};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEvent {
    /// Its number: 1, 2, 3, ... without gaps.
    pub seq: u64,
    pub body: String,
}

/// What the log up to an event adds up to, so that a start need not read it all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    pub seq: u64,
    pub version: u32,
    pub bytes: Vec<u8>,
}

pub trait Store: Send {
    /// Does one transaction. It calls `work` at most once; if that fails, nothing is kept. When this returns `Ok`, everything is on
    /// the disk.
    /// Fails with [`StoreError::Behind`] before the log was read to its end. After [`StoreError::Unknown`], read the log again.
    fn transact(
        &mut self,
        work: &mut dyn FnMut(&mut dyn StoreTransaction) -> Result<(), StoreError>,
    ) -> Result<(), StoreError>;

    /// Returns up to `max` events after event `after`, in order. An empty answer is the end of the log.
    /// A gap in the log, or an event that is not what was written, is an error.
    fn events_after(&mut self, after: u64, max: usize) -> Result<Vec<StoredEvent>, StoreError>;

    /// Returns the newest checkpoint of this version that is whole and not ahead of the log.
    fn checkpoint(&mut self, version: u32) -> Result<Option<Checkpoint>, StoreError>;

    /// Stores a checkpoint, and deletes all but the last two.
    fn keep_checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), StoreError>;

    fn job_counts(&mut self, now_ms: i64) -> Result<Vec<JobCount>, StoreError>;

    /// Returns up to `max` jobs in the order of their turns, after the first `skip`.
    fn jobs(&mut self, skip: usize, max: usize) -> Result<Vec<ListedJob>, StoreError>;

    /// Writes something that changes nothing, to see whether the store can be written.
    fn check(&mut self) -> Result<(), StoreError>;

    /// Returns the time that all servers of the store share, in milliseconds since 1970; `None` if there is one server alone.
    fn now_ms(&mut self) -> Result<Option<i64>, StoreError>;
}

/// Where the present writer is reached by servers that follow the log.
#[derive(Clone, PartialEq, Eq)]
pub struct WriterPlace {
    /// Such as `http://10.0.0.5:8080`.
    pub address: String,
    /// Shows the writer that a request comes from one of them; another one for each start.
    pub secret: String,
}

/// Without the secret.
impl std::fmt::Debug for WriterPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WriterPlace").field("address", &self.address).finish_non_exhaustive()
    }
}

/// What a follower finds.
#[derive(Debug, Default)]
pub struct Followed {
    /// The next events, in order; none at the end of the log.
    pub events: Vec<StoredEvent>,
    /// The last writer that said where it is reached. It may have ended.
    pub writer: Option<WriterPlace>,
    /// The time that all servers share, in milliseconds since 1970; `None` while the log cannot be read.
    pub now_ms: Option<i64>,
}

/// A log that another process writes.
pub trait Follow: Send {
    /// Returns the newest checkpoint of this version that is whole.
    fn checkpoint(&mut self, version: u32) -> Result<Option<Checkpoint>, StoreError>;

    /// Returns up to `max` events after event `after`, and who writes.
    fn look(&mut self, after: u64, max: usize) -> Result<Followed, StoreError>;

    /// Becomes the writer, if there is none. Events that were not read yet have to be read first, as ever.
    fn take_over(&mut self) -> Result<Option<Box<dyn Store>>, StoreError>;
}

/// A transaction that is being done. Every call takes as many things as there are: it is one statement for all.
///
/// A lease is *current* from its claim until the job is finished, given back, cancelled, or claimed again; that it has ended only means
/// that the job can be claimed again.
pub trait StoreTransaction {
    /// Appends events, and returns the number of the first (of the next one, if there are none).
    fn append(&mut self, bodies: &[String]) -> Result<u64, StoreError>;

    /// Adds jobs. One whose name is there already is replaced, and its lease is void.
    fn add_jobs(&mut self, jobs: &[NewJob]) -> Result<(), StoreError>;

    fn cancel_jobs(&mut self, jobs: &[JobId]) -> Result<Vec<CancelledJob>, StoreError>;

    /// Leases jobs, ordered by class, turn, and when they were added.
    fn claim(&mut self, claim: &Claim) -> Result<Vec<ClaimedJob>, StoreError>;

    /// Returns for each lease whether it is current and this judgehost's.
    fn holds(&mut self, host: &str, leases: &[Lease]) -> Result<Vec<bool>, StoreError>;

    /// Deletes the jobs of those leases that are current, and returns for each whether it was.
    fn finish(&mut self, leases: &[Lease]) -> Result<Vec<bool>, StoreError>;

    /// Ends those leases that are current, so that their jobs can be claimed from `not_before_ms` on, and returns for each whether it was.
    fn give_back(&mut self, leases: &[Lease], not_before_ms: i64) -> Result<Vec<bool>, StoreError>;

    /// Ends all leases of a judgehost that has lost its memory, and returns their jobs.
    fn give_back_all(&mut self, host: &str, not_before_ms: i64) -> Result<Vec<JobId>, StoreError>;

    /// Moves the end of those leases that are current and this judgehost's, and returns for each whether it was.
    ///
    /// Leases are named one by one: a lease must end if its judgehost did not get the answer.
    fn extend(&mut self, host: &str, leases: &[Lease], until_ms: i64) -> Result<Vec<bool>, StoreError>;
}
