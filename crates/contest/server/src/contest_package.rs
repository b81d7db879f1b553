//! Contest packages (CLICS Contest Package 2026-01): a contest with its results as one archive, and back.

mod archive;
mod attachments;
mod extra;
mod importer;
mod objects;
mod pictures;
mod results;
mod unpack;
mod write;

pub use importer::{BlobImporter, present};
pub use unpack::{UnpackedContest, put_placeholder, total_time, unpack};
pub use write::{Options, write};

/// The file that has what CLICS has no place for.
const EXTRA: &str = "tautochrone.json";
/// The folder of problems, and of what is in it.
const PROBLEMS: &str = "problems";
/// The folders of a package: none of them is one around it.
const FOLDERS: [&str; 8] =
    ["api", "contest", PROBLEMS, "organizations", "teams", "persons", "submissions", "groups"];
