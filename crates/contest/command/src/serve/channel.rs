//! What parent and server send each other, over a socket that is the server's standard input: secrets are neither in its
//! arguments nor in its environment.

use super::owner::Owner;
use anyhow::{Context, ensure};
use ipnet::IpNet;
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, socketpair,
};
use serde::{Deserialize, Serialize};
use server::OidcSettings;
use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::net::TcpListener;
use std::path::PathBuf;

/// A path or address of the longest kind and all options are far smaller.
const MESSAGE_BYTES_MAX: usize = 64 << 10;
/// The sockets of [`Listeners`].
const LISTENERS_MAX: usize = 3;
/// What the server sends once it serves.
const READY: &[u8] = b"ready";

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Settings {
    pub data: PathBuf,
    /// The database, if another than the one in the folder.
    pub database: Option<String>,
    /// The secret of the judgehosts that the parent starts, or of others.
    pub judgehost_token: Option<String>,
    pub operator_token: Option<String>,
    /// Where other servers of the database reach this one.
    pub replica: Option<String>,
    /// The first password of `admin`, if it was given.
    pub admin_password: Option<String>,
    /// Proxies whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpNet>,
    pub public_urls: Vec<String>,
    /// Other names of this machine.
    pub names: Vec<String>,
    pub is_https: bool,
    pub certificate: Option<Certificate>,
    pub oidc: Option<OidcSettings>,
    pub are_metrics_public: bool,
    pub is_log_json: bool,
}

/// A certificate and its key, as texts.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Certificate {
    pub chain: String,
    pub key: String,
}

/// Without the key.
impl std::fmt::Debug for Certificate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Certificate").field("chain_bytes", &self.chain.len()).finish_non_exhaustive()
    }
}

impl From<Certificate> for server::Certificate {
    fn from(certificate: Certificate) -> Self {
        Self { chain: certificate.chain.into_bytes(), key: certificate.key.into_bytes() }
    }
}

#[derive(Debug)]
pub struct Listeners {
    /// For everybody.
    pub api: TcpListener,
    /// For metrics and health.
    pub operations: Option<TcpListener>,
    /// For judgehosts on this machine, where others need a certificate.
    pub local: Option<TcpListener>,
}

/// The first message, with the listening socket.
#[derive(Debug, Serialize, Deserialize)]
pub struct Start {
    pub settings: Settings,
    pub owner: Owner,
    /// Its process id.
    pub parent: u32,
    pub has_operations: bool,
    pub has_local: bool,
}

pub fn pair() -> anyhow::Result<(OwnedFd, OwnedFd)> {
    socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
        .context("cannot make a socket")
}

pub fn send_start(socket: impl AsFd, start: &Start, listeners: &Listeners) -> anyhow::Result<()> {
    let bytes = serde_json::to_vec(start)?;
    ensure!(bytes.len() <= MESSAGE_BYTES_MAX, "the settings are too long");
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(LISTENERS_MAX))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let others = [&listeners.operations, &listeners.local].into_iter().flatten();
    let descriptors: Vec<_> = std::iter::once(&listeners.api).chain(others).map(AsFd::as_fd).collect();
    ensure!(control.push(SendAncillaryMessage::ScmRights(&descriptors)), "no room for a descriptor");
    rustix::net::sendmsg(socket, &[IoSlice::new(&bytes)], &mut control, SendFlags::NOSIGNAL)
        .context("cannot send the server its settings")?;
    Ok(())
}

pub fn receive_start(socket: impl AsFd) -> anyhow::Result<(Start, Listeners)> {
    let mut bytes = vec![0; MESSAGE_BYTES_MAX];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(LISTENERS_MAX))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut parts = [IoSliceMut::new(&mut bytes)];
    let message = rustix::net::recvmsg(socket, &mut parts, &mut control, RecvFlags::CMSG_CLOEXEC)
        .context("cannot read the settings")?;
    ensure!(message.bytes > 0, "the parent has ended");
    ensure!(!message.flags.contains(ReturnFlags::TRUNC), "the settings are too long");
    let mut sockets = Vec::new();
    for part in control.drain() {
        if let RecvAncillaryMessage::ScmRights(descriptors) = part {
            sockets.extend(descriptors.map(TcpListener::from));
        }
    }
    let start: Start = serde_json::from_slice(&bytes[..message.bytes])?;
    let mut sockets = sockets.into_iter();
    let api = sockets.next().context("no listening socket was sent")?;
    let operations = start.has_operations.then(|| sockets.next()).flatten();
    let local = start.has_local.then(|| sockets.next()).flatten();
    Ok((start, Listeners { api, operations, local }))
}

pub fn send_certificate(socket: impl AsFd, certificate: &Certificate) -> anyhow::Result<()> {
    let bytes = serde_json::to_vec(certificate)?;
    ensure!(bytes.len() <= MESSAGE_BYTES_MAX, "the certificate is too long");
    rustix::net::send(socket, &bytes, SendFlags::NOSIGNAL).context("cannot send the certificate")?;
    Ok(())
}

/// Waits for the next certificate; `None` if the parent is gone.
pub fn receive_certificate(socket: impl AsFd) -> Option<Certificate> {
    let mut bytes = vec![0; MESSAGE_BYTES_MAX];
    loop {
        match rustix::net::recv(&socket, &mut bytes, RecvFlags::empty()) {
            Ok((_, 0)) => return None,
            Ok((length, _)) => return serde_json::from_slice(&bytes[..length]).ok(),
            Err(Errno::INTR) => {}
            Err(_) => return None,
        }
    }
}

/// Reports that the server serves. That the parent is gone, the kernel reports by other means.
pub fn send_ready(socket: impl AsFd) {
    let _ = rustix::net::send(socket, READY, SendFlags::NOSIGNAL);
}

/// Returns whether the server has reported that it serves; `None` if it has closed the socket.
pub fn receive_ready(socket: impl AsFd) -> Option<bool> {
    let mut bytes = [0; READY.len()];
    match rustix::net::recv(socket, &mut bytes, RecvFlags::DONTWAIT) {
        Ok((_, 0)) => None,
        Ok(_) => Some(bytes == READY),
        Err(Errno::AGAIN | Errno::INTR) => Some(false),
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_and_socket_arrive() {
        let (parent, server) = pair().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let settings = Settings {
            data: "/data".into(),
            database: Some("postgres:///x".to_owned()),
            judgehost_token: Some("secret".to_owned()),
            operator_token: None,
            replica: None,
            admin_password: None,
            trusted_proxies: vec!["10.0.0.0/8".parse().unwrap()],
            public_urls: vec!["https://contest.example".to_owned()],
            names: vec!["machine".to_owned()],
            is_https: true,
            certificate: None,
            oidc: None,
            are_metrics_public: true,
            is_log_json: false,
        };
        let owner = Owner { uid: 5, gid: 6 };
        let start = Start { settings, owner, parent: 7, has_operations: false, has_local: true };
        let local = Some(TcpListener::bind("127.0.0.1:0").unwrap());
        let listeners = Listeners { api: listener, operations: None, local };
        send_start(&parent, &start, &listeners).unwrap();
        let (received, same) = receive_start(&server).unwrap();
        assert_eq!(format!("{received:?}"), format!("{start:?}"));
        let address = |listener: &TcpListener| listener.local_addr().unwrap();
        assert_eq!(address(&same.api), address(&listeners.api));
        assert_eq!(same.local.as_ref().map(address), listeners.local.as_ref().map(address));
        assert!(same.operations.is_none());
        let certificate = Certificate { chain: "chain".to_owned(), key: "secret".to_owned() };
        send_certificate(&parent, &certificate).unwrap();
        assert_eq!(receive_certificate(&server), Some(certificate.clone()));
        assert!(!format!("{certificate:?}").contains("secret"));
        assert_eq!(receive_ready(&parent), Some(false));
        send_ready(&server);
        assert_eq!(receive_ready(&parent), Some(true));
        drop(server);
        assert_eq!(receive_ready(&parent), None);
    }

    #[test]
    fn a_parent_that_ends_is_noticed() {
        let (parent, server) = pair().unwrap();
        drop(parent);
        assert!(receive_start(&server).unwrap_err().to_string().contains("has ended"));
    }
}
