//! Output of the command line: tables, colours, a progress line, and the documents of `api`.

pub mod atomic_file;
mod colour;
mod heartbeat;
pub mod progress;
pub mod prose;
mod standard;
pub mod table;
mod visible;
pub mod wire;

pub use atomic_file::AtomicFile;
pub use colour::{Colour, Style, verdict_style};
pub use heartbeat::Heartbeat;
pub use progress::Progress;
pub use prose::prose;
pub use standard::{OutputError, Standard, print};
pub use table::{Align, Cell, Table};
pub use visible::visible;
