//! The commands of contests: the server, its judgehosts, and their clients.
//!
//! # Files
//!
//! `client/` asks a contest server for what `contest/` and `problem/` show and send; `judgehost/` is `tauto judgehost`,
//! `server.rs` the backups.
//!
//! `serve/` has the processes of `tauto serve` (`docs/server.md`): `supervision.rs` decides what is started and ended
//! when, as a state machine; `processes.rs` does it and waits; `owner.rs` chooses the server's user and `folder.rs`
//! gives it the data; `listen.rs` reads addresses and opens them; `channel.rs` is what parent and server send each other, `tls.rs` reads the certificate. In the
//! server's process, `confine.rs` gives up all rights, then `http.rs` serves.
//!
//! # Invariants
//!
//! - The server's process has no rights before it has a second thread. The parent never has one, and reads nothing that
//!   comes from a network.
#![forbid(unsafe_code)]

pub mod arguments;
pub mod client;
pub mod contest;
pub mod judgehost;
mod meaning;
pub mod output;
pub mod problem;
pub mod serve;
pub mod server;

pub use ::server::random_secret;
pub use meaning::meaning;
