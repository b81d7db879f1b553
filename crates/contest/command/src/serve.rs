//! `tauto serve`: a contest server, and judgehosts on the same machine.

mod channel;
mod confine;
mod folder;
mod http;
mod listen;
mod log;
mod owner;
mod processes;
mod supervision;
mod tls;

use crate::arguments::{Judgehosts, LogFormat, MetricsPlace, ServeArguments};
use crate::client::secret_of;
use anyhow::Context;
use channel::{Listeners, Settings};
pub use confine::{Confinement, confine};
pub use folder::{give_away, make as make_folder};
pub use http::stopped;
pub use listen::{address, bind};
pub use log::begin as begin_log;
use processes::Parent;
pub use processes::reachable;
use server::OidcSettings;
use settings::Area;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::ExitCode;
use system::{Machine, Status};
use terminal::{Standard, failure, prose};
use tls::TlsFiles;

/// PostgreSQL's port if the URL names none.
const POSTGRES_PORT: u16 = 5432;
/// The default address of the metrics, which is not reachable from a network.
const METRICS_AT: &str = "127.0.0.1:9280";

/// A token that is shorter could be guessed: attempts are not counted.
const TOKEN_LETTERS_MIN: usize = 20;

/// Returns a machines' token from a file.
fn token(option: &str, file: &Option<PathBuf>) -> anyhow::Result<Option<String>> {
    let Some(file) = file else { return Ok(None) };
    let token = secret_of(file)?;
    if token.len() < TOKEN_LETTERS_MIN || token.contains(char::is_whitespace) {
        return Err(failure::input_with_hint(
            format!(
                "{option} {}: a token has at least {TOKEN_LETTERS_MIN} characters and no blanks",
                file.display()
            ),
            format!("make one: head -c 32 /dev/urandom | base64 -w 0 > {}", file.display()),
        ));
    }
    Ok(Some(token))
}

pub fn run(arguments: &ServeArguments) -> anyhow::Result<ExitCode> {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        refuse_what_needs_root(arguments)?;
    }
    let data = make_folder(&arguments.data, arguments.user.as_deref())?;
    let tls = TlsFiles::of(arguments);
    let certificate = tls.as_ref().map(TlsFiles::read).transpose()?;
    let mut listeners =
        Listeners { api: bind(&arguments.listen)?, operations: metrics(arguments)?, local: None };
    let secret = |file: &Option<PathBuf>| file.as_deref().map(secret_of).transpose();
    let of_file = secret(&arguments.database_file)?;
    let mut settings = Settings {
        data,
        database: arguments.database.clone().or(of_file),
        judgehost_token: token("--judgehost-token", &arguments.judgehost_token)?,
        operator_token: token("--operator-token", &arguments.operator_token)?,
        admin_password: secret(&arguments.admin_password)?,
        replica: arguments.replica.clone(),
        trusted_proxies: arguments.trusted_proxy.clone(),
        public_urls: arguments.public_url.iter().map(ToString::to_string).collect(),
        names: own_names(&arguments.listen),
        is_https: arguments.https || tls.is_some(),
        certificate,
        oidc: oidc(arguments)?,
        are_metrics_public: arguments.metrics == Some(MetricsPlace::Public),
        is_log_json: arguments.log_format == LogFormat::Json,
    };
    if settings.replica.is_some() && settings.database.is_none() {
        return Err(failure::input_with_hint(
            "--replica: servers share a PostgreSQL database, and SQLite is one process's",
            "add --database postgres://NAME@HOST/DATABASE",
        ));
    }
    if !is_root {
        print_what_to_start(&listeners.api, tls.is_some())?;
        let folders = tls.as_ref().map(TlsFiles::folders).unwrap_or_default();
        let confinement =
            Confinement { owner: None, ports: ports(&settings)?, data: settings.data.clone(), folders };
        let own = http::Preopened::open(listeners);
        warn(confine(&confinement)?);
        return http::serve(settings, own, || {}, tls.map(http::read_after_hang_ups).transpose()?);
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
    if judgehosts > 0 {
        // Here it is one sentence; each judgehost would say it again and again.
        arguments.clock.counted()?;
        arguments.image.check()?;
    }
    if judgehosts > 0 && settings.judgehost_token.is_none() {
        settings.judgehost_token = Some(server::random_secret());
    }
    let owner = give_away(&settings.data, arguments.user.as_deref())?;
    if tls.is_some() && judgehosts > 0 {
        // They know no name for which the certificate is.
        listeners.local = Some(bind("127.0.0.1:0")?);
    }
    let judgehost_options = [arguments.clock.words(), arguments.image.words()].concat();
    Parent { listeners, tls, settings, owner, judgehost_options }.run(judgehosts)
}

/// The server's own process, which root's `tauto serve` starts.
pub fn run_server() -> anyhow::Result<ExitCode> {
    let channel = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 0).context("no standard input")?;
    let nothing = std::fs::File::open("/dev/null").context("cannot open /dev/null")?;
    rustix::stdio::dup2_stdin(&nothing).context("cannot close standard input")?;
    let (start, listeners) = channel::receive_start(&channel)?;
    let confinement = Confinement {
        owner: Some(start.owner),
        ports: ports(&start.settings)?,
        data: start.settings.data.clone(),
        folders: Vec::new(),
    };
    let own = http::Preopened::open(listeners);
    warn(confine(&confinement)?);
    confine::end_with(start.parent)?;
    let from_parent = channel.try_clone().context("cannot use the channel")?;
    let renewals = start.settings.certificate.is_some().then(|| http::received_from(from_parent));
    http::serve(start.settings, own, move || channel::send_ready(&channel), renewals)
}

/// Returns the names of this machine: its own, and the one in `--listen`.
fn own_names(listen: &str) -> Vec<String> {
    let machine = rustix::system::uname();
    let machine = machine.nodename().to_string_lossy().into_owned();
    let listen = listen.rsplit_once(':').map(|(name, _)| name.to_owned());
    [machine].into_iter().chain(listen).filter(|name| !name.is_empty()).collect()
}

/// Returns the socket for metrics, if they have one.
fn metrics(arguments: &ServeArguments) -> anyhow::Result<Option<TcpListener>> {
    match &arguments.metrics {
        Some(MetricsPlace::At(address)) => bind(address).map(Some),
        Some(MetricsPlace::None | MetricsPlace::Public) => Ok(None),
        // Another server of this machine may have them there.
        None => match TcpListener::bind(METRICS_AT) {
            Ok(listener) => Ok(Some(listener)),
            Err(error) => {
                let remedy = "choose a place with '--metrics ADDRESS', or give '--metrics none'";
                warn(Some(format!("there are no metrics: cannot listen at {METRICS_AT}: {error}; {remedy}")));
                Ok(None)
            }
        },
    }
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

fn print_what_to_start(listener: &TcpListener, is_https: bool) -> anyhow::Result<()> {
    let address = reachable(listener.local_addr().context("the socket has no address")?);
    let scheme = if is_https { "https" } else { "http" };
    warn(Some(format!(
        "no judgehost is started, since that needs root. On each machine that judges, run 'sudo tauto judgehost --server \
         {scheme}://{address} --token FILE'"
    )));
    Ok(())
}

/// Returns the OpenID provider, with the secret out of its file.
fn oidc(arguments: &ServeArguments) -> anyhow::Result<Option<OidcSettings>> {
    let (Some(issuer), Some(client), Some(public)) =
        (&arguments.oidc_issuer, &arguments.oidc_client, arguments.public_url.first())
    else {
        return Ok(None);
    };
    let is_here = |host: &str| ["127.0.0.1", "[::1]", "localhost"].contains(&host);
    let url: Option<ureq::http::Uri> = issuer.parse().ok();
    let is_plain =
        url.is_some_and(|url| url.scheme_str() == Some("http") && !url.host().is_some_and(is_here));
    if port_of(issuer).is_none() || is_plain {
        let hint = "use HTTPS, such as https://login.example/realms/school";
        return Err(failure::input_with_hint(
            format!("--oidc-issuer: '{issuer}' is no address of HTTPS"),
            hint,
        ));
    }
    let secret = arguments.oidc_secret_file.as_deref().map(secret_of).transpose()?;
    Ok(Some(OidcSettings {
        issuer: issuer.clone(),
        client: client.clone(),
        secret,
        name: arguments.oidc_name.clone(),
        public_url: public.to_string(),
    }))
}

/// Returns the port of an address of HTTP.
fn port_of(url: &str) -> Option<u16> {
    let url: ureq::http::Uri = url.parse().ok()?;
    let usual = match url.scheme_str()? {
        "https" => 443,
        "http" => 80,
        _ => return None,
    };
    Some(url.port_u16().unwrap_or(usual))
}

/// Returns the ports that the server connects to.
fn ports(settings: &Settings) -> anyhow::Result<Vec<u16>> {
    let mut ports = database_ports(settings)?;
    ports.extend(settings.oidc.iter().filter_map(|oidc| port_of(&oidc.issuer)));
    // The other servers of the database have the same.
    ports.extend(settings.replica.as_deref().and_then(port_of));
    Ok(ports)
}

/// Returns the ports of a database on a network.
fn database_ports(settings: &Settings) -> anyhow::Result<Vec<u16>> {
    let Some(url) = &settings.database else { return Ok(Vec::new()) };
    let config: postgres::Config = url.parse().map_err(|_| {
        failure::input_with_hint("--database: not a PostgreSQL URL", "such as postgres://NAME@HOST/DATABASE")
    })?;
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
    let checks = settings::doctor::examine(&machine, &[], &model::Reading::Known(Vec::new()), &[], 1);
    let needed = |area| matches!(area, Area::Isolation | Area::ControlGroups);
    let failed = checks.iter().filter(|check| check.status == Status::Fail && needed(check.area));
    let reasons: Vec<String> = failed.map(|check| format!("{}: {}", check.name, check.what)).collect();
    (!reasons.is_empty()).then(|| format!("{}. 'tauto doctor' says more", reasons.join("; ")))
}

/// Prints a warning on standard error, if there is one.
pub fn warn(text: Option<String>) {
    if let Some(text) = text {
        let _ = Standard::error().write(&prose::wrap("warning: ", 2, &text, prose::error_columns()));
    }
}
