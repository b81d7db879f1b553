//! What every command shares on a terminal: tables, colours, a progress line, failures with exit codes, interrupts,
//! and the values of options.
//!
//! # Files
//!
//! `failure.rs` turns errors into a sentence, a hint and an exit code, by what each `meaning.rs` of a `command` crate
//! knows about the errors below it. `interrupt.rs` is Ctrl-C, `numbers.rs` how figures are written, `values.rs` how
//! options are read; `report.rs` (headings, tables, figures: for a terminal, as a page, as Markdown), `table.rs`, `prose.rs` and
//! `progress.rs` are what people see.
//!
//! # Invariants
//!
//! - All output goes through `standard.rs`, so that no command reports success if its result could not be written.
#![forbid(unsafe_code)]

pub mod atomic_file;
mod colour;
pub mod failure;
mod heartbeat;
pub mod interrupt;
pub mod numbers;
pub mod progress;
pub mod prose;
mod report;
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
pub use report::{Report, make_folder, print_result};
pub use standard::{OutputError, Standard, print};
pub use table::{Align, Cell, Table};
pub use visible::visible;
