//! Why an image cannot be used.

use rustix::io::Errno;
use std::io;
use std::path::{Path, PathBuf};

/// Why an image cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// The image is broken, lies about its content, or is larger than allowed.
    #[error("{image}: {what}")]
    Bad { image: String, what: String },
    /// A folder has other files, which must not become those of a store.
    #[error("{path} has files and is no store of images", path = path.display())]
    NoStore { path: PathBuf },
    /// No image can have this name.
    #[error("'{name}' is no name of an image")]
    Name { name: String },
    /// No image of this name is in the store.
    #[error("no image '{name}' is in {store}", store = store.display())]
    Unknown { name: String, store: PathBuf, known: Vec<String> },
    #[error("{what} {path}", path = path.display())]
    Io { what: &'static str, path: PathBuf, source: io::Error },
    /// A stop was requested.
    #[error("stopped")]
    Stopped,
}

/// Why a part of an image is refused, before it is known of which image it is.
#[derive(Debug, thiserror::Error)]
pub enum PartError {
    #[error("{0}")]
    Bad(String),
    #[error("{0}")]
    Io(io::Error),
    #[error("stopped")]
    Stopped,
}

impl From<io::Error> for PartError {
    /// Content that is not as expected is the image's fault, everything else is the machine's.
    fn from(error: io::Error) -> Self {
        let is_its_fault = error.kind() == io::ErrorKind::InvalidData
            || matches!(Errno::from_io_error(&error), Some(Errno::LOOP | Errno::NAMETOOLONG | Errno::INVAL));
        if is_its_fault { Self::Bad(error.to_string()) } else { Self::Io(error) }
    }
}

impl From<Errno> for PartError {
    fn from(error: Errno) -> Self {
        io::Error::from(error).into()
    }
}

impl PartError {
    pub(crate) fn of(self, image: &str, path: &Path) -> ImageError {
        match self {
            Self::Bad(what) => ImageError::Bad { image: one_line(image), what: one_line(&what) },
            Self::Io(source) => {
                ImageError::Io { what: "cannot unpack it into", path: path.to_owned(), source }
            }
            Self::Stopped => ImageError::Stopped,
        }
    }
}

/// Escapes what would begin another line: the text is from an image.
fn one_line(text: &str) -> String {
    text.chars()
        .flat_map(|letter| match letter.is_control() {
            true => letter.escape_default().collect::<Vec<_>>(),
            false => vec![letter],
        })
        .collect()
}

pub(crate) fn bad(what: impl Into<String>) -> PartError {
    PartError::Bad(what.into())
}

/// Adds to an error of the operating system what was being done, and where.
pub(crate) fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> ImageError {
    let path = path.to_owned();
    move |source| ImageError::Io { what, path, source }
}
