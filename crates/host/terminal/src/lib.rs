//! What every command shares on a terminal: tables, colours, a progress line, failures with exit codes, interrupts,
//! and the values of options.
#![forbid(unsafe_code)]

pub mod atomic_file;
mod colour;
pub mod failure;
mod heartbeat;
pub mod interrupt;
pub mod numbers;
pub mod progress;
pub mod prose;
mod standard;
pub mod state;
pub mod table;
pub mod values;
mod visible;

pub use atomic_file::AtomicFile;
pub use colour::{Colour, Style, verdict_style};
pub use heartbeat::Heartbeat;
pub use progress::Progress;
pub use prose::prose;
pub use standard::{OutputError, Standard, print};
pub use table::{Align, Cell, Table};
pub use visible::visible;
