//! `tauto serve`: a contest server, and judgehosts beside it.

mod channel;
mod confine;
mod folder;
mod http;
mod owner;
mod processes;
mod supervision;

use crate::arguments::{Judgehosts, ServeArguments};
use crate::client::secret_of;
use crate::failure;
use crate::output::{Standard, prose};
use anyhow::Context;
use channel::Settings;
use confine::Confinement;
use probe::{Area, Machine, Status};
use processes::{Parent, reachable};
use std::net::TcpListener;
use std::process::ExitCode;

/// PostgreSQL's port if the URL names none.
const POSTGRES_PORT: u16 = 5432;

/// Serves until a stop is requested.
///
/// # Errors
/// When the socket or the folder cannot be used, or the server fails.
pub fn run(arguments: &ServeArguments) -> anyhow::Result<ExitCode> {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        refuse_what_needs_root(arguments)?;
    }
    let data = folder::make(&arguments.data)?;
    let listener = TcpListener::bind(&arguments.listen)
        .with_context(|| failure::because(format!("cannot listen at {}", arguments.listen)))?;
    let of_file = arguments.database_file.as_deref().map(secret_of).transpose()?;
    let mut settings = Settings {
        data,
        database: arguments.database.clone().or(of_file),
        judgehost_token: None,
        trusted_proxies: arguments.trusted_proxy.clone(),
        is_https: arguments.https,
    };
    if !is_root {
        say_what_to_start(&listener)?;
        let confinement = Confinement { owner: None, ports: ports(&settings)?, data: settings.data.clone() };
        warn(confine::confine(&confinement)?);
        return http::serve(settings, listener, || {});
    }
    processes::check_ourselves()?;
    let judgehosts = match arguments.judgehosts {
        Judgehosts::Count(count) => count,
        Judgehosts::Auto => match why_not_here() {
            None => 1,
            Some(reason) => {
                warn(Some(format!("no judgehost is started: {reason}")));
                0
            }
        },
    };
    settings.judgehost_token = (judgehosts > 0).then(server::random_secret);
    let owner = folder::give_away(&settings.data, arguments.user.as_deref())?;
    Parent { listener, settings, owner }.run(judgehosts)
}

/// The server's own process, which root's `tauto serve` starts.
///
/// # Errors
/// When a right remains, or the server fails.
pub fn run_server() -> anyhow::Result<ExitCode> {
    let channel = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 0).context("no standard input")?;
    let nothing = std::fs::File::open("/dev/null").context("cannot open /dev/null")?;
    rustix::stdio::dup2_stdin(&nothing).context("cannot close standard input")?;
    let (start, listener) = channel::receive_start(&channel)?;
    let confinement = Confinement {
        owner: Some(start.owner()),
        ports: ports(&start.settings)?,
        data: start.settings.data.clone(),
    };
    warn(confine::confine(&confinement)?);
    confine::end_with(start.parent)?;
    http::serve(start.settings, listener, move || channel::send_ready(&channel))
}

fn refuse_what_needs_root(arguments: &ServeArguments) -> anyhow::Result<()> {
    let hint = "run it with sudo";
    if arguments.user.is_some() {
        return Err(failure::input_with_hint("only root can serve as another user (--user)", hint));
    }
    if let Judgehosts::Count(1..) = arguments.judgehosts {
        return Err(failure::input_with_hint("a judgehost needs root (--judgehosts)", hint));
    }
    Ok(())
}

fn say_what_to_start(listener: &TcpListener) -> anyhow::Result<()> {
    let address = reachable(listener.local_addr().context("the socket has no address")?);
    warn(Some(format!(
        "no judgehost is started, since that needs root. On each machine that judges, run 'sudo tauto judgehost --server \
         http://{address} --token FILE'"
    )));
    Ok(())
}

/// Returns the ports of a database on a network.
fn ports(settings: &Settings) -> anyhow::Result<Vec<u16>> {
    let Some(database) = &settings.database else { return Ok(Vec::new()) };
    database_ports(database)
}

/// Returns the ports in the URL of a database.
fn database_ports(url: &str) -> anyhow::Result<Vec<u16>> {
    let config: postgres::Config =
        url.parse().map_err(|_| failure::input("the URL of --database is none of PostgreSQL"))?;
    let is_remote = |host: &postgres::config::Host| matches!(host, postgres::config::Host::Tcp(_));
    if !config.get_hosts().iter().any(is_remote) {
        return Ok(Vec::new());
    }
    let ports = config.get_ports();
    Ok(if ports.is_empty() { vec![POSTGRES_PORT] } else { ports.to_vec() })
}

/// Returns why programs cannot be judged on this machine, if so.
fn why_not_here() -> Option<String> {
    let machine = Machine::here();
    let checks = probe::doctor::examine(&machine, &[], &model::Reading::Known(Vec::new()), &[], 1);
    let needed = |area| matches!(area, Area::Isolation | Area::ControlGroups);
    let failed = checks.iter().filter(|check| check.status == Status::Fail && needed(check.area));
    let reasons: Vec<String> = failed.map(|check| format!("{}: {}", check.name, check.what)).collect();
    (!reasons.is_empty()).then(|| format!("{}. 'tauto doctor' says more", reasons.join("; ")))
}

fn warn(text: Option<String>) {
    if let Some(text) = text {
        let _ = Standard::error().write(&prose::wrap("warning: ", 2, &text, prose::error_columns()));
    }
}
