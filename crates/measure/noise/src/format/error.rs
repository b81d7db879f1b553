//! What the format is called, and what is wrong with a file.

/// What a file says it is.
pub(super) const NAME: &str = "tautochrone/noise";

/// The version of the format that is written, and the newest that is read.
pub const FORMAT_VERSION: u32 = 1;

/// An hour on hundreds of CPUs is less; what unpacks to more is not ours.
pub(super) const UNPACKED_BYTES_MAX: u64 = 1 << 30;

/// The message about more than one profile in a file.
pub(super) const BEHIND: &str =
    "something stands behind its end; profiles are compared as files of their own";

/// Why bytes are not a profile.
#[derive(Debug, thiserror::Error)]
pub enum FormatError {
    /// Nothing is in it.
    #[error("the file is empty; measure again with 'tauto noise probe'")]
    Empty,
    /// It is something else.
    #[error("this is not a .noise file ({0}); 'tauto noise probe -o FILE' writes one")]
    Foreign(String),
    /// Its end is missing.
    #[error("the file ends in the middle: it was not written or copied completely")]
    Truncated,
    /// It is from a later version.
    #[error(
        "the file has version {0} of the format and this tauto reads up to {FORMAT_VERSION}; use a newer tauto"
    )]
    Newer(u64),
    /// It unpacks to more than any profile.
    #[error("the file unpacks to more than {} MiB, which no profile does", UNPACKED_BYTES_MAX >> 20)]
    TooLarge,
    /// A line of another program's trace is not what it should be.
    #[error("line {line}: expected {expected}; found '{found}'")]
    Line {
        /// Which line, from 1.
        line: usize,
        /// What should be there.
        expected: &'static str,
        found: String,
    },
    /// It begins as it should, and holds what it should not.
    #[error("the file is damaged: {0}")]
    Damaged(String),
}
