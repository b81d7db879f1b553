//! Settings of a server.

use crate::names::Names;
use crate::oidc::OidcSettings;
use crate::ops::Operations;
use crate::tls::Tls;
use ipnet::IpNet;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use store::WriterPlace;

#[derive(Clone, Debug)]
pub struct Config {
    pub listen: SocketAddr,
    /// Where files are received before they are stored.
    pub temporary: PathBuf,
    /// Proxies whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpNet>,
    /// The names by which it is reached, apart from addresses and `localhost`.
    pub names: Names,
    /// Whether the cookie is for HTTPS only: a proxy in front speaks that.
    pub is_https: bool,
    /// The secret of the server's judgehosts; a new one if there is none.
    pub judgehost_token: Option<String>,
    /// The secret of an operator that keeps pools of judgehosts.
    pub operator_token: Option<String>,
    /// The first password of `admin`; a new one if there is none.
    pub admin_password: Option<String>,
    /// Where servers that follow the log reach this one, if there are several of one database.
    pub replica: Option<WriterPlace>,
    /// The certificate, if connections have TLS.
    pub tls: Option<Arc<Tls>>,
    /// A listener without TLS, for judgehosts on this machine.
    pub local: Option<Arc<TcpListener>>,
    /// Where people can log in apart from here.
    pub oidc: Option<OidcSettings>,
    pub limits: Limits,
    /// What operators may read, and where.
    pub operations: Operations,
}

/// Limits of a server. Each has a default that a contest of 1,000 teams does not reach.
#[derive(Clone, Debug)]
pub struct Limits {
    pub connections: usize,
    /// Connections of one address: a site can be behind one.
    pub connections_per_address: usize,
    /// Requests that a follower passes on at once, and those of one address: fewer than the writer takes of the follower's address.
    pub passed_on: usize,
    pub passed_on_per_address: usize,
    /// The largest problem package: the ICPC's requirements have test data of 8 GB.
    pub package_bytes: u64,
    /// The largest blob of a judgehost: a record of all runs.
    pub evidence_bytes: u64,
    /// The largest contest package.
    pub import_bytes: usize,
    /// The largest contest package with its problems, as it is and unpacked.
    pub contest_package_bytes: u64,
    /// Uploads of one account that are not complete.
    pub uploads_per_account: usize,
    /// What they, and what an account has sent that nothing uses, may have at most, each.
    pub unused_bytes_per_account: u64,
    /// Contents of one account that nothing uses.
    pub unused_per_account: usize,
    /// Long bodies in memory, of all requests.
    pub body_bytes: usize,
    /// Long answers that wait in memory until they are taken.
    pub answer_bytes: usize,
    /// The same of one address, which can be a whole site's.
    pub answer_bytes_per_address: usize,
    /// Contents that are received at once; each holds a thread.
    pub transfers: usize,
    pub streams: usize,
    /// Streams of events of those who have not logged in.
    pub streams_anonymous: usize,
    /// Streams of events of one address.
    pub streams_per_address: usize,
    /// Streams of events of one account: a team has several machines, each with several windows.
    pub streams_per_account: usize,
    /// One of several servers that has had no word of the database for so long believes no one's rights. Longer than two checks of
    /// whether it still writes.
    pub confirmed_within: Duration,
    /// How long requests that have begun may take once the server stops.
    pub end_within: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 8192,
            connections_per_address: 4096,
            passed_on: 3072,
            passed_on_per_address: 512,
            package_bytes: 12 << 30,
            evidence_bytes: 256 << 20,
            import_bytes: 64 << 20,
            contest_package_bytes: 32 << 30,
            uploads_per_account: 16,
            unused_bytes_per_account: 64 << 30,
            unused_per_account: 5000,
            body_bytes: 256 << 20,
            answer_bytes: 512 << 20,
            answer_bytes_per_address: 256 << 20,
            transfers: 64,
            streams: 6000,
            streams_anonymous: 3000,
            streams_per_address: 3000,
            streams_per_account: 64,
            confirmed_within: Duration::from_secs(15),
            end_within: Duration::from_secs(10),
        }
    }
}

impl Config {
    /// Returns the default settings.
    pub fn new(listen: SocketAddr, temporary: PathBuf) -> Self {
        Self {
            listen,
            temporary,
            trusted_proxies: Vec::new(),
            names: Names::default(),
            is_https: false,
            judgehost_token: None,
            operator_token: None,
            admin_password: None,
            replica: None,
            tls: None,
            local: None,
            oidc: None,
            limits: Limits::default(),
            operations: Operations::default(),
        }
    }
}
