//! Versioned wire types: the JSON that the command line prints.
//!
//! Every document names its schema first, such as `tautochrone/run/1`. Within one
//! version fields are only ever added. A value that could not be read is `null`, and the map `unavailable` next to it
//! says why. The comment of a field is its description in the JSON Schema, `docs/schemas`.
//!
//! Each is in the module of its subject: `judging`, `machines`, `experiments`, `stream`; a run is part of all of them. What a
//! judgehost and its server send each other is in [`judgehost`], the rest of the server's HTTP API in [`contest`].
//!
//! # Files
//!
//! One file for each document (`docs/json.md`), below `contest/`, `experiments/`, `judgehost/`, `judging/`, `machines/`
//! or `stream/`. `contest/domjudge.rs` has those of `/api/v4`. `objects/` has one file for each object of the CLICS
//! standard: what events store of it, what clients and files get, the reader for files and requests, and who sees which
//! property; `objects/contest/clock.rs` is the contest's time. `schema.rs` lists them and makes their JSON Schemas
//! (`docs/schemas`), in which a field's comment is its description.

#![forbid(unsafe_code)]

pub mod contest;
mod document;
mod error;
mod experiments;
mod fleet;
pub mod judgehost;
mod judging;
mod machines;
pub mod objects;
mod run;
mod schema;
mod stream;
mod values;

pub use document::{Document, ReadError, from_json, to_json, to_json_line};
pub use error::ErrorReport;
pub use experiments::*;
pub use fleet::*;
pub use judging::*;
pub use machines::*;
pub use run::{End, EndKind, Evidence, Guard, Limits, NotARun, RunReport, RunStatus, Usage};
pub use schema::{DOCUMENTS, DocumentKind};
pub use stream::*;
pub use values::{Unavailable, VerdictId};
