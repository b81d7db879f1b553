//! What can go wrong.

use crate::BlobHash;

type Source = Box<dyn std::error::Error + Send + Sync>;

/// An error of the log or of jobs. Nothing of the transaction is in the store, except after [`StoreError::Unknown`].
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process writes.
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
        /// The last event of the log.
        head: u64,
    },
    /// The connection was lost while committing: the transaction is in the store whole, or not at all.
    #[error(
        "the connection was lost while a transaction was committed; read the log to see whether it is there"
    )]
    Unknown {
        /// The cause.
        source: Source,
    },
    /// The database cannot be reached, or did not answer in time.
    #[error("cannot {action}: the store is not available")]
    Unavailable {
        /// What was being done.
        action: &'static str,
        /// The cause.
        source: Source,
    },
    /// There is no space left.
    #[error("cannot {action}: the disk of the store is full")]
    Full {
        /// What was being done.
        action: &'static str,
    },
    /// The store was written by a later release.
    #[error("the store has schema {found}, and this release knows up to {known}: use the newer release")]
    TooNew {
        /// The store's schema.
        found: u32,
        /// The newest schema that is known.
        known: u32,
    },
    /// The store's content contradicts itself.
    #[error("the store is damaged: {0}")]
    Damaged(String),
    /// The database refused.
    #[error("cannot {action}")]
    Database {
        /// What was being done.
        action: &'static str,
        /// The cause.
        source: Source,
    },
    /// The caller gave up: its closure returned this, so the transaction was rolled back.
    #[error("the transaction was given up by its caller")]
    GivenUp,
}

/// An error of a blob.
#[derive(Debug, thiserror::Error)]
pub enum BlobError {
    /// There is no such blob.
    #[error("there is no blob {0}")]
    NotFound(BlobHash),
    /// The content is not what the hash says.
    #[error("blob {0} is damaged: its content has another hash")]
    Damaged(BlobHash),
    /// The content is longer than the caller allows.
    #[error("the content is longer than {limit_bytes} bytes")]
    TooLarge {
        /// The limit.
        limit_bytes: u64,
    },
    /// The content that came is not the one that was announced.
    #[error("the content has the hash {found}, not {expected}")]
    WrongHash {
        /// What was announced.
        expected: BlobHash,
        /// What came.
        found: BlobHash,
    },
    /// There is no such upload: it was finished, has expired, or never was.
    #[error("there is no such upload")]
    NoUpload,
    /// Content for another place than where the upload stands.
    #[error("the upload stands at byte {received_bytes}")]
    WrongOffset {
        /// How much has been received.
        received_bytes: u64,
    },
    /// The upload is not complete.
    #[error("the upload has {received_bytes} of {size_bytes} bytes")]
    Incomplete {
        /// How much has been received.
        received_bytes: u64,
        /// How much was announced.
        size_bytes: u64,
    },
    /// Too many uploads are open.
    #[error("{0} uploads are open: finish one, or wait until the oldest expire")]
    TooManyUploads(usize),
    /// The owner has too many uploads open.
    #[error("{uploads} of your uploads are open, with {bytes} bytes: finish or delete one")]
    OwnerFull {
        /// How many.
        uploads: usize,
        /// How much was announced for them.
        bytes: u64,
    },
    /// There is no space left. Nothing was kept.
    #[error("the disk of the store is full")]
    Full,
    /// The sender's content could not be read.
    #[error("the content could not be read")]
    Content(#[source] std::io::Error),
    /// A file could not be used.
    #[error("cannot {action} {}", path.display())]
    File {
        /// What was being done.
        action: &'static str,
        /// The file.
        path: std::path::PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The database cannot be reached, or did not answer in time. The same may work in a moment.
    #[error("cannot {action}: the store is not available")]
    Unavailable {
        /// What was being done.
        action: &'static str,
        /// The cause.
        source: Source,
    },
    /// The database failed.
    #[error("cannot {action}")]
    Database {
        /// What was being done.
        action: &'static str,
        /// The cause.
        source: Source,
    },
}
