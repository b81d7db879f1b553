//! Jobs: work that waits for a judgehost, and leases on it.

use std::fmt;

/// The name of a job, given by the caller: `<contest>/<submission>-<n>`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId(pub String);

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for JobId {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

/// The number of a lease. No two leases of a store have the same one, and a later lease has a higher one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fence(pub u64);

/// A lease: a job, and the number under which it was claimed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lease {
    /// The job.
    pub job: JobId,
    /// The lease's number.
    pub fence: Fence,
}

/// A job to add.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewJob {
    /// Its name.
    pub id: JobId,
    /// Only judgehosts of this pool may claim it.
    pub pool: String,
    /// A lower class goes first.
    pub class: u8,
    /// Within a class, a lower turn goes first; then the job that was added first.
    pub turn: i64,
    /// Whose it is: for lists only.
    pub owner: String,
    /// What a claim can exclude: `package:<hash>`, `language:cpp`, `problem:a`, or `not:<host>` for a job that must run elsewhere.
    pub tags: Vec<String>,
    /// No claim before this instant (milliseconds since 1970).
    pub not_before_ms: i64,
    /// What the judgehost is told: a text that nobody here reads.
    pub body: String,
}

/// A request for jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The judgehost.
    pub host: String,
    /// Its pool.
    pub pool: String,
    /// At most this many.
    pub max: usize,
    /// The caller's clock (milliseconds since 1970).
    pub now_ms: i64,
    /// When the leases end (milliseconds since 1970).
    pub lease_until_ms: i64,
    /// A job with one of these tags is passed over.
    pub excluded_tags: Vec<String>,
}

/// A job that was claimed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedJob {
    /// The job.
    pub id: JobId,
    /// The number of this lease.
    pub fence: Fence,
    /// How often it has been claimed, this claim included.
    pub attempts: u32,
    /// What the judgehost is told.
    pub body: String,
}

/// A job that was cancelled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CancelledJob {
    /// The job.
    pub id: JobId,
    /// The judgehost that has it.
    pub host: Option<String>,
}

/// A job in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedJob {
    /// Its name.
    pub id: JobId,
    /// Its pool.
    pub pool: String,
    /// Its class.
    pub class: u8,
    /// Its turn.
    pub turn: i64,
    /// Whose it is.
    pub owner: String,
    /// No claim before this instant.
    pub not_before_ms: i64,
    /// How often it has been claimed.
    pub attempts: u32,
    /// The lease, if there is one. It may have ended.
    pub lease: Option<ListedLease>,
}

/// A lease in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedLease {
    /// Who has it.
    pub host: String,
    /// Its number.
    pub fence: Fence,
    /// When it ends.
    pub until_ms: i64,
}

/// How many jobs a pool has in a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobCount {
    /// The pool.
    pub pool: String,
    /// The class.
    pub class: u8,
    /// Jobs that can be claimed now.
    pub waiting: u64,
    /// Jobs that may not be claimed yet.
    pub delayed: u64,
    /// Jobs with a lease that has not ended.
    pub leased: u64,
}
