//! What can go wrong.

use crate::BlobHash;

type Source = Box<dyn std::error::Error + Send + Sync>;

/// An error of the log or of jobs. Nothing of the transaction is in the store, except after [`StoreError::Unknown`].
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("{holder} writes to this store already; there can be one writer")]
    Locked {
        /// The other process, as far as it is known.
        holder: String,
    },
    /// Another writer has taken this one's place: this one may not write any more.
    #[error("another writer has taken over this store")]
    Fenced,
    /// The log has events that this writer has not read: read them by [`crate::Store::events_after`] first.
    #[error("the log has {head} events, of which {known} are read: read the rest before writing")]
    Behind {
        /// The last event that this writer has read or appended.
        known: u64,
        head: u64,
    },
    /// The connection was lost while committing: the transaction is in the store whole, or not at all.
    #[error(
        "the connection was lost while a transaction was committed; read the log to see whether it is there"
    )]
    Unknown { source: Source },
    /// The database cannot be reached, or did not answer in time.
    #[error("cannot {action}: the store is not available")]
    Unavailable { action: &'static str, source: Source },
    #[error("cannot {action}: the disk of the store is full")]
    Full { action: &'static str },
    #[error("the store has schema {found}, and this release knows up to {known}: use the newer release")]
    TooNew { found: u32, known: u32 },
    #[error("the store is damaged: {0}")]
    Damaged(String),
    #[error("cannot {action}")]
    Database { action: &'static str, source: Source },
    /// The caller gave up: its closure returned this, so the transaction was rolled back.
    #[error("the transaction was given up by its caller")]
    GivenUp,
}

impl StoreError {
    /// Returns how to make an error of a failed file operation.
    pub(crate) fn of_file(action: &'static str) -> impl Fn(std::io::Error) -> Self {
        move |source| match source.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Self::Full { action },
            _ => Self::Unavailable { action, source: Box::new(source) },
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum BlobError {
    #[error("there is no blob {0}")]
    NotFound(BlobHash),
    #[error("blob {0} is damaged: its content has another hash")]
    Damaged(BlobHash),
    #[error("the content is longer than {limit_bytes} bytes")]
    TooLarge { limit_bytes: u64 },
    #[error("the content has the hash {found}, not {expected}")]
    WrongHash { expected: BlobHash, found: BlobHash },
    /// There is no such upload: it was finished, has expired, or never was.
    #[error("there is no such upload")]
    NoUpload,
    /// Content for another place than where the upload stands.
    #[error("the upload stands at byte {received_bytes}")]
    WrongOffset { received_bytes: u64 },
    #[error("the upload has {received_bytes} of {size_bytes} bytes")]
    Incomplete { received_bytes: u64, size_bytes: u64 },
    #[error("{0} uploads are open: finish one, or wait until the oldest expire")]
    TooManyUploads(usize),
    #[error("{uploads} of your uploads are open, with {bytes} bytes: finish or delete one")]
    OwnerFull {
        uploads: usize,
        /// How much was announced for them.
        bytes: u64,
    },
    /// There is no space left. Nothing was kept.
    #[error("the disk of the store is full")]
    Full,
    #[error("the content could not be read")]
    Content(#[source] std::io::Error),
    #[error("cannot {action} {}", path.display())]
    File { action: &'static str, path: std::path::PathBuf, source: std::io::Error },
    /// The database cannot be reached, or did not answer in time. The same may work in a moment.
    #[error("cannot {action}: the store is not available")]
    Unavailable { action: &'static str, source: Source },
    #[error("cannot {action}")]
    Database { action: &'static str, source: Source },
}
