//! Problem statements as HTML and PDF, from the Markdown and LaTeX of packages.
//!
//! An [`Order`] says what is wanted; [`build`] makes it with pandoc and XeLaTeX in the sandbox, or finds it in the cache.
//! What a package has wrong is a [`Fault`] with its file and line.
//!
//! # Files
//!
//! Statements (`docs/statements.md`) as HTML and PDF. `order.rs` is what is wanted, and `build`; `source.rs` chooses
//! the statement and reads the files that it names, `check.rs` finds what is wrong in its text, `polygon.rs` reads Polygon's
//! commands, `samples.rs` what is shown of the samples, `inputs.rs` puts all
//! together as files in memory, whose hash is the key of `cache.rs`. `pdf.rs` and `html.rs` run the programs of
//! `tools.rs` on them, in a sandbox that the caller opens; `safe.rs` removes what acts or loads from HTML. `fault.rs`
//! finds the line of the statement from what pandoc and TeX say, `signs.rs` the signs that need other fonts or have none.
//! Statements with LaTeX or formulas pass TeX before they become HTML, so that both have the same mistakes. `assets/` has the templates, the LaTeX package and
//! pandoc's filter.
//!
//! A server's statements are made by an idle judgehost of the contest's pool, which stops as soon as it gets something to
//! judge. The server's process has no rights to run a sandbox, and its parent reads nothing that comes from a network.
//!
//! Where pandoc is not installed, `plain.rs` renders Markdown as the part of a page, in this process: a parser in safe Rust
//! without extensions that read files.
//!
//! # Invariants
//!
//! - Nothing of a package is read by pandoc, TeX or a converter outside of the sandbox, and no HTML, of theirs or of `plain.rs`, leaves
//!   this crate before `safe.rs`.

#![forbid(unsafe_code)]

mod cache;
mod check;
mod error;
mod fault;
mod html;
mod inputs;
mod lua;
mod order;
mod pdf;
mod plain;
mod polygon;
mod safe;
mod samples;
mod signs;
mod source;
mod tools;
mod words;

pub use cache::Cache;
pub use error::{Fault, StatementError};
pub use order::{Built, Cover, Order, Output, Part, Template, build, languages};
pub use tools::{Programs, Runner, root, what_is_missing};
