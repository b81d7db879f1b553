//! The HTTP API of contests.
//!
//! [`Start`] reads the log and starts the writer, [`App`] is what requests share, [`router`] the endpoints, and
//! [`listen`] answers connections.
//!
//! **Architecture Invariant:** nobody but the writer's thread decides or stores anything; handlers read requests, ask the writer or a
//! view of `contest_rules`, and write answers. Roles are checked in `contest_rules` only.

#![forbid(unsafe_code)]

mod access;
mod app;
mod attachments;
mod auth;
pub mod backup;
mod boards;
mod clock;
mod collection;
mod config;
mod contest_package;
mod endpoints;
mod events;
mod extract;
mod feed;
mod guard;
mod handlers;
mod hosts;
mod listen;
mod live;
mod multipart;
mod names;
mod openapi;
mod ops;
mod pace;
mod paced;
mod package_files;
mod package_texts;
mod packages;
mod page;
mod pdf;
mod preflight;
mod problem;
mod random;
mod remainder;
mod routes;
mod run;
mod setup;
mod shared_answers;
mod sources;
mod static_board;
mod submitting;
mod tls;
mod unused;
mod wire;
mod writer;
mod zips;

pub use app::{App, Shared};
pub use config::{Config, Limits};
pub use endpoints::{document, router};
pub use names::{Names, PublicUrl, PublicUrlError};
pub use ops::{Metrics, Operations};
pub use page::stream_page;
pub use problem::Problem;
pub use random::hex_256 as random_secret;
pub use run::{Options, Ready, RunError, run};
pub use setup::{SetupError, add_admin, add_judgehost};
pub use tls::{Certificate, Tls, TlsError};
pub use writer::{Done, Published, Start, StartError, Writer};
