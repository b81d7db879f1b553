//! The server itself, once this process has no rights.

use super::channel::Settings;
use crate::interrupt::Interrupt;
use crate::output::print;
use anyhow::Context;
use rustix::fd::OwnedFd;
use server::{Config, Options};
use std::io::IsTerminal;
use std::net::TcpListener;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use store::StoreAddress;
use tokio::net::unix::pipe::Receiver;
use tracing_subscriber::EnvFilter;

/// Packages are read here; emptied at each start.
pub const SCRATCH: &str = "tmp";
/// What is logged unless `RUST_LOG` says otherwise.
const LOGGED: &str = "info";
/// Threads that read or write contents, or hash passwords. What needs one waits for a free one.
const BLOCKING_THREADS: usize = 128;
/// How long such threads may go on at the end: nobody was told that what they do is done.
const END_WITHIN: Duration = Duration::from_secs(5);

/// Serves until a stop is requested. `ready` is called once requests are answered.
///
/// # Errors
/// When the store cannot be opened or used.
pub fn serve(
    settings: Settings,
    listener: TcpListener,
    ready: impl FnOnce() + Send,
) -> anyhow::Result<ExitCode> {
    let interrupt = Interrupt::listen()?;
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(LOGGED));
    let is_terminal = std::io::stderr().is_terminal();
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_ansi(is_terminal)
        .with_env_filter(filter)
        .init();
    let here = listener.local_addr().context("the socket has no address")?;
    let mut config = Config::new(here, settings.data.join(SCRATCH));
    config.judgehost_token = settings.judgehost_token;
    config.trusted_proxies = settings.trusted_proxies;
    config.is_https = settings.is_https;
    let folder = settings.data.display().to_string();
    let options =
        Options { database: settings.database.map(StoreAddress::Postgres), config, data: settings.data };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .max_blocking_threads(BLOCKING_THREADS)
        .build()
        .context("cannot start threads")?;
    let served = runtime.block_on(async {
        let ready = |up: server::Ready| {
            let password = up.admin_password.map(|password| {
                format!("the password of 'admin' is {password}, also in {folder}/admin-password\n")
            });
            // A server whose output nobody reads serves nevertheless.
            // Before the line: whoever reads that may end this process, which must not look like a failed start.
            ready();
            let _ = print(&format!("{}serving at http://{here}\n", password.unwrap_or_default()));
        };
        server::run(options, listener, ready, stopped(interrupt.stop())).await
    });
    runtime.shutdown_timeout(END_WITHIN);
    served?;
    Ok(ExitCode::SUCCESS)
}

/// Waits until the pipe is readable.
async fn stopped(stop: Arc<OwnedFd>) {
    let pipe = stop.try_clone().and_then(Receiver::from_owned_fd);
    match pipe {
        Ok(pipe) => drop(pipe.readable().await),
        Err(error) => tracing::error!(%error, "signals cannot be awaited"),
    }
}
