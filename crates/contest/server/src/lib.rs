//! The HTTP API of contests.
//!
//! [`Start`] reads the log and starts the writer, [`App`] is what requests share, [`router`] the endpoints, and
//! [`listen`] answers connections.
//!
//! # Files
//!
//! `run.rs` is a whole server: `writer/` the thread that decides and stores (`batch.rs` is one transaction,
//! `recover.rs` reads the log anew when it is not known whether one was committed), `app.rs` what requests share,
//! `listen.rs` connections and the graceful end. `endpoints/` is the table of endpoints: router, OpenAPI document
//! (`openapi.rs`) and the test of roles come from it; `endpoints/domjudge.rs` has those below `/api/v4`, in DOMjudge's
//! shape. `handlers/` has what each does: read the request, ask the writer or a view, write the answer
//! (`handlers/domjudge/` for `/api/v4`); `wire/` converts between documents and rules. `auth/` identifies callers:
//! sessions, passwords, tokens, and the limits on wrong ones. `events/` keeps what the writer noted for each audience
//! and streams it; `feed/` makes the event feed of it, in an order in which references resolve (`reader.rs`).
//! `boards.rs` keeps scoreboards as bytes, `hosts.rs` when each judgehost last sent a request, `packages.rs` reads problem
//! packages, `sources.rs` the files of submissions, `attachments.rs` those of objects; `contest_package/`
//! takes and makes whole contests. `ops/` has metrics, health and the line of the log for each
//! request, `tls.rs` the certificate, `names.rs` the names by which the server is reached, `backup.rs` copies a store
//! and restores it, `page.rs` sends the page (`web/README.md`), whose files are in the binary. `tests/roles.txt` has
//! the status of each endpoint for each role.
//!
//! `tests/faults` starts servers and judgehosts as processes, kills, starves and cuts them off, and checks the log's
//! promises after each; `tests/database` is the PostgreSQL server of all tests, with a proxy that cuts and delays;
//! `tests/jobs` is the server that tests of judgehosts play.
//!
//! # Invariants
//!
//! - Only the writer's thread decides or stores anything. It answers after the commit, and readers never see what is
//!   not committed.
//! - Handlers do not look at roles: `decide` and the views of `contest/rules` do.
//! - What is answered to the public depends on the public view alone, and so does the tag of a scoreboard.
//! - Contests go by one clock, the writer's. It takes the system's time at the start and goes on by itself.

#![forbid(unsafe_code)]

mod access;
mod app;
mod attachments;
mod auth;
pub mod backup;
mod blob_collector;
mod boards;
mod clock;
mod collection;
mod config;
mod contest_package;
mod cors;
mod credentials;
mod drain_rest;
mod endpoints;
mod etag;
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
mod oidc;
mod openapi;
mod ops;
mod pace;
mod paced;
mod package_files;
mod package_texts;
mod packages;
mod page;
mod pdf;
mod places;
mod preflight;
mod problem;
mod random;
mod replica;
mod routes;
mod run;
mod setup;
mod sources;
mod statements;
mod static_board;
mod submission_gate;
mod tls;
mod wire;
mod writer;
mod zips;

pub use app::{App, Shared};
pub use config::{Config, Limits};
pub use endpoints::{document, router};
pub use names::{Names, PublicUrl, PublicUrlError};
pub use oidc::OidcSettings;
pub use ops::{Metrics, Operations};
pub use page::stream_page;
pub use problem::Problem;
pub use random::hex_256 as random_secret;
pub use run::{Options, Ready, RunError, run};
pub use setup::{SetupError, Tokens, add_admin, add_tokens};
pub use tls::{Certificate, Tls, TlsError};
pub use writer::{Done, Published, Role, Start, StartError, Writer};
