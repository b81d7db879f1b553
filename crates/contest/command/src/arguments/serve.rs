//! Arguments of `tauto serve`.

use clap::{Args, ValueEnum};
use ipnet::IpNet;
use judging_command::arguments::{ClockArguments, ImageArguments};
use server::PublicUrl;
use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;

/// Examples and exit codes.
pub const SERVE_EXAMPLES: &str = "\
Started by root, it runs as two kinds of processes: a server that speaks HTTP and has no rights, and judgehosts with \
the rights of the sandbox. Either is started again if it ends. SIGTERM and SIGINT (Ctrl-C) let judgehosts finish what \
they judge, at most 60 s, then stop the server; a second one does not wait.

Started by anybody else, it only serves, and says which judgehost to start.

Exit code: 0 after a request to stop, 1 if something had to be killed for it, 2 wrong usage or input, 3 internal or \
system error.

Examples:
  sudo tauto serve --data /var/lib/tautochrone
  sudo tauto serve --data class --clock instructions
  tauto serve --data data --listen 0.0.0.0:8080 --judgehosts 0
  tauto serve --data data --listen 0.0.0.0:8080 --public-url http://contest.example:8080
  sudo tauto serve --data /var/lib/tautochrone --listen 0.0.0.0:443 --tls-cert chain.pem --tls-key key.pem";

/// More would not find CPUs to lease.
const JUDGEHOSTS_MAX: u32 = 64;

#[derive(Debug, Args)]
pub struct ServeArguments {
    /// Folder for everything that is kept
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
    /// Address and port to serve at
    ///
    /// A port alone is one that only this machine reaches; 0.0.0.0:8080 is reached from all networks.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080", value_parser = crate::serve::address)]
    pub listen: String,
    /// PostgreSQL database, instead of SQLite in the data folder
    #[arg(long, value_name = "URL")]
    pub database: Option<String>,
    /// File with the URL of --database, which others can read from the command line if it has a password there
    #[arg(long, value_name = "FILE", conflicts_with = "database")]
    pub database_file: Option<PathBuf>,
    /// Be one of several servers of one database: others reach this one at URL, such as http://10.0.0.5:8080
    ///
    /// One of them writes. The others follow its log, answer what is read, pass on the rest, and one of them takes its place when it
    /// is lost. Contests go by the clock of the database.
    #[arg(long, value_name = "URL", value_parser = replica, conflicts_with = "tls_cert")]
    pub replica: Option<String>,
    /// How many judgehosts to start on this machine: 'auto' for one if it can judge
    #[arg(long, value_name = "N", default_value = "auto")]
    pub judgehosts: Judgehosts,
    /// By which clock those judge.
    #[command(flatten)]
    pub clock: ClockArguments,
    /// Whose compilers they use.
    #[command(flatten)]
    pub image: ImageArguments,
    /// Proxy whose X-Forwarded-For is believed, such as 127.0.0.1 or 10.0.0.0/8; can be given several times
    ///
    /// Behind a proxy that is not named, all clients have its address: limits on wrong passwords are then for all of them
    /// together.
    #[arg(long, value_name = "CIDR", value_parser = network)]
    pub trusted_proxy: Vec<IpNet>,
    /// Address that people type, such as https://contest.example; can be given several times
    ///
    /// Requests that name another server are refused: they are how a page of another site reads what a browser may see
    /// here. IP addresses, localhost, this machine's own name and the name in --listen need no option.
    #[arg(long, value_name = "URL")]
    pub public_url: Vec<PublicUrl>,
    /// A proxy in front speaks HTTPS: cookies are sent over that alone
    #[arg(long)]
    pub https: bool,
    /// File with the certificate and its chain, in PEM format: the server itself speaks HTTPS; read again after SIGHUP
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// File with the certificate's private key, in PEM format
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
    /// OpenID provider at which people can also log in, such as https://login.example/realms/school
    ///
    /// Its redirect address is /api/oidc/callback below the first --public-url.
    #[arg(long, value_name = "URL", requires = "oidc_client", requires = "public_url")]
    pub oidc_issuer: Option<String>,
    /// What the provider calls this server (client_id)
    #[arg(long, value_name = "ID", requires = "oidc_issuer")]
    pub oidc_client: Option<String>,
    /// File with the secret that the provider gave this server, if it did
    #[arg(long, value_name = "FILE", requires = "oidc_issuer")]
    pub oidc_secret_file: Option<PathBuf>,
    /// How people call the provider
    #[arg(long, value_name = "NAME", requires = "oidc_issuer", default_value = "OpenID")]
    pub oidc_name: String,
    /// File with the token of judgehosts, for those that are started elsewhere; by default only those of this machine have one
    #[arg(long, value_name = "FILE")]
    pub judgehost_token: Option<PathBuf>,
    /// File with the token of 'tauto fleet operator', which keeps pools of judgehosts on Kubernetes
    #[arg(long, value_name = "FILE")]
    pub operator_token: Option<PathBuf>,
    /// File with the first password of 'admin'; by default one is made, and printed once
    #[arg(long, value_name = "FILE")]
    pub admin_password: Option<PathBuf>,
    /// Where Prometheus reads /metrics: an address of its own, 'public' for everybody at --listen, or 'none'
    ///
    /// By default 127.0.0.1:9280; if another program listens there, there are none, and a warning is printed.
    #[arg(long, value_name = "ADDRESS")]
    pub metrics: Option<MetricsPlace>,
    /// How the log on standard error is written
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = LogFormat::Text)]
    pub log_format: LogFormat,
    /// User without rights that the server becomes, if root starts it
    ///
    /// By default the owner of the data folder, unless that is root; then the user 'tautochrone', if there is one;
    /// otherwise a free user, which then owns the folder.
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
}

/// Reads the address of a server on a network of its own.
fn replica(text: &str) -> Result<String, String> {
    let wrong = || "use the address of this server without HTTPS, such as http://10.0.0.5:8080".to_owned();
    let at = text.strip_prefix("http://").ok_or_else(wrong)?.trim_end_matches('/');
    match at.rsplit_once(':') {
        Some((host, port)) if !host.is_empty() && !at.contains('/') && port.parse::<u16>().is_ok() => {
            Ok(format!("http://{at}"))
        }
        _ => Err(wrong()),
    }
}

/// Reads a network, or an address as one of its own.
fn network(text: &str) -> Result<IpNet, String> {
    let address = || text.parse::<IpAddr>().map(IpNet::from);
    text.parse()
        .or_else(|_| address())
        .map_err(|_| "use an address or a network such as 10.0.0.0/8".to_owned())
}

/// How a log is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// An object for each line.
    Json,
}

/// Where metrics can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MetricsPlace {
    /// Nowhere.
    None,
    /// Where the API is.
    Public,
    /// At an address of their own.
    At(String),
}

impl FromStr for MetricsPlace {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "none" => Ok(Self::None),
            "public" => Ok(Self::Public),
            text => crate::serve::address(text).map(Self::At).map_err(|_| {
                "use an address with a port such as 127.0.0.1:9280, 'public' or 'none'".to_owned()
            }),
        }
    }
}

/// How many judgehosts to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgehosts {
    /// One if this machine can judge.
    Auto,
    /// This number.
    Count(u32),
}

impl FromStr for Judgehosts {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            _ if text == "auto" => Ok(Self::Auto),
            Ok(count) if count <= JUDGEHOSTS_MAX => Ok(Self::Count(count)),
            _ => Err(format!("use 'auto' or 0 to {JUDGEHOSTS_MAX}")),
        }
    }
}
