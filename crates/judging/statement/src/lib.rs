//! Problem statements as HTML and PDF, from the Markdown and LaTeX of packages.
//!
//! An [`Order`] says what is wanted; [`build`] makes it with pandoc and XeLaTeX in the sandbox, or finds it in the cache.
//! What a package has wrong is a [`Fault`] with its file and line.

#![forbid(unsafe_code)]

mod cache;
mod error;
mod fault;
mod html;
mod inputs;
mod lua;
mod order;
mod pdf;
mod safe;
mod samples;
mod source;
mod tools;
mod words;

pub use cache::Cache;
pub use error::{Fault, StatementError};
pub use order::{Built, Cover, Order, Output, Part, Template, build, languages};
pub use tools::{Runner, root, what_is_missing};
