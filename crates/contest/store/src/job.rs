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
    pub job: JobId,
    pub fence: Fence,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewJob {
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
    /// The text for the judgehost, which the store does not read.
    pub body: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    pub host: String,
    pub pool: String,
    pub max: usize,
    /// The caller's clock (milliseconds since 1970).
    pub now_ms: i64,
    /// When the leases end (milliseconds since 1970).
    pub lease_until_ms: i64,
    /// A job with one of these tags is passed over.
    pub excluded_tags: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedJob {
    pub id: JobId,
    pub fence: Fence,
    /// How often it has been claimed, this claim included.
    pub attempts: u32,
    pub body: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CancelledJob {
    pub id: JobId,
    pub host: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedJob {
    pub id: JobId,
    pub pool: String,
    pub class: u8,
    pub turn: i64,
    pub owner: String,
    pub not_before_ms: i64,
    pub attempts: u32,
    /// The lease, if there is one. It may have ended.
    pub lease: Option<ListedLease>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedLease {
    pub host: String,
    pub fence: Fence,
    pub until_ms: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobCount {
    pub pool: String,
    pub class: u8,
    pub waiting: u64,
    pub delayed: u64,
    pub leased: u64,
}
