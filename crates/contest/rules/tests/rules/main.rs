//! Decisions, views and notices of contests, driven by commands.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    clippy::disallowed_types,
    reason = "tests"
)]

mod analysis;
mod board;
mod damaged;
mod decisions;
mod drift;
mod feedback;
mod import;
mod judging;
mod large;
mod main_path;
mod people;
mod properties;
mod roles;
mod sessions;
mod statements;
mod support;
