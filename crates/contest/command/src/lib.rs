//! The commands of contests: the server, its judgehosts, and their clients.
#![forbid(unsafe_code)]

pub mod arguments;
pub mod client;
pub mod contest;
pub mod judgehost;
mod meaning;
pub mod problem;
pub mod serve;
pub mod server;

pub use meaning::meaning;
