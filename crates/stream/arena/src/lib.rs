//! Live stream contests over TCP. [`host`] serves one: it sends digits, receives answers, keeps the record and shows the
//! board. [`contestant`] takes part in one with any solver of the ladder and any way of reading and writing.
//!
//! # Files
//!
//! Live stream contests over TCP. `host.rs` starts the threads of one that is served, each in a file of `host/`:
//! `feed.rs` sends chunks, `door.rs` lets clients of it in, `answers.rs` reads answers (`connection.rs`, `request.rs`)
//! and refuses those that `rate.rs` counts too many of,
//! `show.rs` adds up the record and keeps the board as bytes, `pages.rs` sends it. They meet in `journal.rs`, the
//! record on disk. `contestant/` takes part, with a file for each way of reading and writing. The host's threads are
//! synchronous: a feed that shares a runtime with pages would be late. `tauto stream serve --publish` reports the board
//! to a server, which keeps it in `live.rs` of `server` and stores nothing of it.
//!
//! # Invariants
//!
//! - A line is in the record before it is sent to a client, and the fold gets lines in the file's order.

// `tcp_info` and `contestant::uring` ask the kernel for what no safe library has.
#![deny(unsafe_code)]

pub mod contestant;
pub mod host;
mod tcp_info;
