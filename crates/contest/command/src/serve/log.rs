//! The server's log.

use std::io::IsTerminal;
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;

/// What is logged unless `RUST_LOG` says otherwise.
const LOGGED: &str = "info";
/// What is logged on a terminal: a line for each request would hide the others.
const WATCHED: &str = "info,request=warn";
/// Lines that wait for a reader. When there are more, lines are lost: a reader that stops must not stop the server.
const LINES_MAX: usize = 16 << 10;

/// Begins the log on standard error. It ends when the guard is dropped.
pub fn begin(is_json: bool) -> WorkerGuard {
    let is_terminal = std::io::stderr().is_terminal();
    let usual = if is_terminal { WATCHED } else { LOGGED };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(usual));
    let lines = NonBlockingBuilder::default().lossy(true).buffered_lines_limit(LINES_MAX);
    let (writer, guard) = lines.finish(std::io::stderr());
    let log = tracing_subscriber::fmt().with_writer(writer).with_env_filter(filter);
    if is_json {
        log.json().init()
    } else {
        log.with_ansi(is_terminal).init()
    }
    guard
}
