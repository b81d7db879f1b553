//! The server itself, once this process has no rights.

use super::channel::{self, Certificate, Listeners, Settings};
use super::tls::TlsFiles;
use anyhow::Context;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::OwnedFd;
use server::{Config, Names, Options, Tls};
use std::fs::File;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use store::{StoreAddress, WriterPlace};
use terminal::interrupt::{Interrupt, hang_ups};
use terminal::print;
use tokio::net::unix::pipe::Receiver;

/// Packages are read here; emptied at each start.
pub const SCRATCH: &str = "tmp";
/// Threads that read or write contents, or hash passwords. What needs one waits for a free one.
const BLOCKING_THREADS: usize = 128;
/// How long such threads may go on at the end: their requests were not answered.
const END_WITHIN: Duration = Duration::from_secs(5);

/// Waits for the next certificate: `None` if there will be no other one.
pub type Renewals = Box<dyn FnMut() -> Option<anyhow::Result<Certificate>> + Send>;

/// What must be opened before this process gives up its rights.
#[derive(Debug)]
pub struct Preopened {
    listeners: Listeners,
    memory: Option<File>,
}

impl Preopened {
    pub fn open(listeners: Listeners) -> Self {
        Self { listeners, memory: File::open("/proc/self/statm").ok() }
    }
}

/// Serves until a stop is requested. `ready` is called once requests are answered.
pub fn serve(
    settings: Settings,
    preopened: Preopened,
    ready: impl FnOnce() + Send,
    renewals: Option<Renewals>,
) -> anyhow::Result<ExitCode> {
    let interrupt = match renewals {
        Some(_) => Interrupt::listen_but_hang_up()?,
        None => Interrupt::listen()?,
    };
    let _log = super::log::begin(settings.is_log_json);
    let Listeners { api: listener, operations, local } = preopened.listeners;
    let here = listener.local_addr().context("the socket has no address")?;
    let mut config = Config::new(here, settings.data.join(SCRATCH));
    config.judgehost_token = settings.judgehost_token;
    config.operator_token = settings.operator_token;
    config.admin_password = settings.admin_password;
    config.replica = settings.replica.map(|address| WriterPlace { address, secret: server::random_secret() });
    config.trusted_proxies = settings.trusted_proxies;
    let public = settings.public_urls.iter().map(|url| url.parse()).collect::<Result<_, _>>()?;
    config.names = Names::new(public, settings.names);
    config.is_https = settings.is_https;
    config.oidc = settings.oidc;
    config.operations.listener = operations.map(Arc::new);
    config.operations.are_metrics_public = settings.are_metrics_public;
    config.operations.memory = preopened.memory.map(Arc::new);
    config.local = local.map(Arc::new);
    if let Some(certificate) = settings.certificate {
        let tls = Arc::new(Tls::new(&certificate.into())?);
        config.tls = Some(tls.clone());
        renewals.map(|renewals| renew(tls, renewals)).transpose()?;
    }
    let scheme = if config.tls.is_some() { "https" } else { "http" };
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
            // A server serves even if its output cannot be written.
            // Before the line: a program that reads it may end this process, which must not look like a failed start.
            ready();
            let _ = print(&format!("{}serving at {scheme}://{here}\n", password.unwrap_or_default()));
        };
        server::run(options, listener, ready, stopped(interrupt.stop())).await
    });
    runtime.shutdown_timeout(END_WITHIN);
    served?;
    Ok(ExitCode::SUCCESS)
}

/// Waits until a stop is requested.
pub async fn stopped(stop: Arc<OwnedFd>) {
    let pipe = stop.try_clone().and_then(Receiver::from_owned_fd);
    match pipe {
        Ok(pipe) => drop(pipe.readable().await),
        Err(error) => tracing::error!(%error, "signals cannot be awaited"),
    }
}

pub fn received_from(parent: OwnedFd) -> Renewals {
    Box::new(move || channel::receive_certificate(&parent).map(Ok))
}

/// Returns the certificates that the files have after each SIGHUP.
pub fn read_after_hang_ups(files: TlsFiles) -> anyhow::Result<Renewals> {
    let hang_ups = hang_ups()?;
    Ok(Box::new(move || {
        loop {
            let _ = poll(&mut [PollFd::new(&hang_ups, PollFlags::IN)], None);
            if matches!(rustix::io::read(&hang_ups, &mut [0; 16]), Ok(1..)) {
                return Some(files.read());
            }
        }
    }))
}

/// Replaces the certificate by each that comes, on a thread of its own.
fn renew(tls: Arc<Tls>, mut renewals: Renewals) -> anyhow::Result<()> {
    let work = move || {
        while let Some(next) = renewals() {
            match next.and_then(|certificate| Ok(tls.replace(&certificate.into())?)) {
                Ok(()) => tracing::info!("connections have the new certificate from now on"),
                Err(error) => {
                    tracing::error!(error = format!("{error:#}"), "the certificate of before stays");
                }
            }
        }
    };
    let thread = std::thread::Builder::new().name("certificates".to_owned()).spawn(work);
    thread.map(drop).context("cannot start a thread for certificates")
}
