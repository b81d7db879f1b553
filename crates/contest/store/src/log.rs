//! The event log, and transactions on it and on jobs.

use crate::{CancelledJob, Claim, ClaimedJob, JobCount, JobId, Lease, ListedJob, NewJob, StoreError};

/// An event as it was stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEvent {
    /// Its number: 1, 2, 3, ... without gaps.
    pub seq: u64,
    /// Its text.
    pub body: String,
}

/// What the log up to an event adds up to, so that a start need not read it all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The last event in it.
    pub seq: u64,
    /// The version of its format.
    pub version: u32,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// An event log and jobs, with this process as the only writer.
pub trait Store: Send {
    /// Does one transaction. It calls `work` at most once; if that fails, nothing is kept. When this returns `Ok`, everything is on
    /// the disk.
    ///
    /// # Errors
    ///
    /// [`StoreError::Behind`] before the log was read to its end. After [`StoreError::Unknown`], read the log again.
    fn transact(
        &mut self,
        work: &mut dyn FnMut(&mut dyn StoreTransaction) -> Result<(), StoreError>,
    ) -> Result<(), StoreError>;

    /// Returns up to `max` events after event `after`, in order. An empty answer is the end of the log.
    ///
    /// # Errors
    ///
    /// When the log cannot be read, has a gap, or has an event that is not what was written.
    fn events_after(&mut self, after: u64, max: usize) -> Result<Vec<StoredEvent>, StoreError>;

    /// Returns the newest checkpoint of this version that is whole and not ahead of the log.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    fn checkpoint(&mut self, version: u32) -> Result<Option<Checkpoint>, StoreError>;

    /// Stores a checkpoint, and deletes all but the last two.
    ///
    /// # Errors
    ///
    /// When the store cannot be written.
    fn keep_checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), StoreError>;

    /// Returns how many jobs there are in each pool and class.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    fn job_counts(&mut self, now_ms: i64) -> Result<Vec<JobCount>, StoreError>;

    /// Returns up to `max` jobs in the order of their turns, after the first `skip`.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    fn jobs(&mut self, skip: usize, max: usize) -> Result<Vec<ListedJob>, StoreError>;

    /// Writes something that changes nothing, to see whether the store can be written.
    ///
    /// # Errors
    ///
    /// When the store cannot be written.
    fn check(&mut self) -> Result<(), StoreError>;
}

/// A transaction that is being done. Every call takes as many things as there are: it is one statement for all.
///
/// A lease is *current* from its claim until the job is finished, given back, cancelled, or claimed again; that it has ended only means
/// that the job can be claimed again.
pub trait StoreTransaction {
    /// Appends events, and returns the number of the first (of the next one, if there are none).
    ///
    /// # Errors
    ///
    /// When the store cannot be written, as for all of these.
    fn append(&mut self, bodies: &[String]) -> Result<u64, StoreError>;

    /// Adds jobs. One whose name is there already is replaced, and its lease is void.
    ///
    /// # Errors
    ///
    /// When the store cannot be written.
    fn add_jobs(&mut self, jobs: &[NewJob]) -> Result<(), StoreError>;

    /// Deletes jobs, and returns those that were there.
    ///
    /// # Errors
    ///
    /// When the store cannot be written.
    fn cancel_jobs(&mut self, jobs: &[JobId]) -> Result<Vec<CancelledJob>, StoreError>;

    /// Leases jobs, ordered by class, turn, and when they were added.
    ///
    /// # Errors
    ///
    /// When the store cannot be written.
    fn claim(&mut self, claim: &Claim) -> Result<Vec<ClaimedJob>, StoreError>;

    /// Returns for each lease whether it is current and this judgehost's.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    fn holds(&mut self, host: &str, leases: &[Lease]) -> Result<Vec<bool>, StoreError>;

    /// Deletes the jobs of those leases that are current, and returns for each whether it was.
    ///
    /// # Errors
    ///
    /// When the store cannot be written.
    fn finish(&mut self, leases: &[Lease]) -> Result<Vec<bool>, StoreError>;

    /// Ends those leases that are current, so that their jobs can be claimed from `not_before_ms` on, and returns for each whether it was.
    ///
    /// # Errors
    ///
    /// When the store cannot be written.
    fn give_back(&mut self, leases: &[Lease], not_before_ms: i64) -> Result<Vec<bool>, StoreError>;

    /// Ends all leases of a judgehost that has lost its memory, and returns their jobs.
    ///
    /// # Errors
    ///
    /// When the store cannot be written.
    fn give_back_all(&mut self, host: &str, not_before_ms: i64) -> Result<Vec<JobId>, StoreError>;

    /// Moves the end of those leases that are current and this judgehost's, and returns for each whether it was.
    ///
    /// Leases are named one by one: one that its judgehost never heard of, since the answer was lost, must end.
    ///
    /// # Errors
    ///
    /// When the store cannot be written.
    fn extend(&mut self, host: &str, leases: &[Lease], until_ms: i64) -> Result<Vec<bool>, StoreError>;
}
