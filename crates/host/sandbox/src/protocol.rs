//! What supervisor and launcher say to each other over a socket.
//!
//! One message is one packet (`SOCK_SEQPACKET`), encoded with postcard;
//! descriptors travel beside it.

use crate::plan::{Role, SeccompClass};
use model::{REQUEST_BYTES_MAX, REQUEST_DESCRIPTORS_MAX};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::fmt;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;

/// How the slot's container is to be built.
#[derive(Debug, Serialize, Deserialize)]
pub struct Setup {
    pub root: Vec<RootEntry>,
    pub mount_point: String,
}

/// What the launcher belongs to and what belongs to it. With it come this many control groups to
/// enter, then the user namespace of each role.
#[derive(Debug, Serialize, Deserialize)]
pub struct Belongings {
    pub groups: u32,
    /// The host's user for each role; inside, each is user 1000.
    pub users: Vec<(Role, u32)>,
}

/// One thing in the container's root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RootEntry {
    /// An empty directory.
    Directory { path: String },
    /// A directory of the host, read-only.
    BindDirectory { source: String, path: String },
    /// A file of the host, read-only.
    BindFile { source: String, path: String },
    /// A device of the host, usable.
    Device { source: String, path: String },
    /// A symbolic link.
    Link { path: String, to: String },
    /// A small file of our own.
    File { path: String, content: String },
}

/// What the launcher is asked for.
#[derive(Debug, Serialize, Deserialize)]
pub enum Request {
    /// One run.
    Run(Box<RunRequest>),
    /// Something small on the runs' CPUs. With it comes the control group, if `into_cgroup`.
    Errand { errand: Errand, cpus: Vec<u32>, into_cgroup: bool },
}

/// What is done between runs.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum Errand {
    /// Looks how fast the CPUs are just now.
    Pace,
    /// Brings so much of the memory that the kernel gives next into the caches.
    WarmMemory { bytes: u64 },
    /// Does the fixed work of [`crate::ReferenceTime`].
    Reference,
}

/// One run, without its descriptors: standard input, output and error, then the control group
/// if `into_cgroup`, then one detached mount for each target.
#[derive(Debug, Serialize, Deserialize)]
pub struct RunRequest {
    pub argv: Vec<String>,
    pub environment: Vec<(String, String)>,
    pub working_directory: String,
    pub role: Role,
    pub mounts: Vec<MountTarget>,
    pub links: Vec<(String, String)>,
    pub work_writable: bool,
    pub box_bytes: u64,
    pub box_files: u64,
    /// Resource number and value, as setrlimit(2) takes them.
    pub rlimits: Vec<(u32, u64)>,
    pub cpus: Vec<u32>,
    pub seccomp: SeccompClass,
    pub into_cgroup: bool,
}

/// Where a detached mount goes.
#[derive(Debug, Serialize, Deserialize)]
pub struct MountTarget {
    pub path: String,
    pub is_file: bool,
}

/// What the launcher answers.
#[derive(Debug, Serialize, Deserialize)]
pub enum Answer {
    /// The container stands.
    Ready,
    /// Something of ours failed.
    Failed { step: Step, errno: i32 },
    /// The run has begun; a pidfd of its init comes with this.
    Started,
    /// What a loop of [`crate::pace`] took on average, or another errand; the parts of a reference are four.
    Done { times_ns: [u64; 4] },
    /// The run is over and every process of it is reaped.
    Ended(Ended),
}

/// What the run's init and main process told.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Ended {
    /// None when the run was ended before.
    pub begun: Option<Begun>,
    /// None when the init was killed before it could tell.
    pub reaped: Option<Reaped>,
    /// Sockets of the run are still there, with their names and what they hold.
    pub sockets_left: bool,
}

/// A program that was executed.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Begun {
    /// When, on CLOCK_MONOTONIC.
    pub at_ns: u64,
    /// CPU time that building the run took inside the run's own group.
    pub setup_cpu_ns: u64,
}

/// A main process that has ended, and what it and the others that were reaped before it used.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Reaped {
    /// Its wait status.
    pub status: i32,
    /// When, on CLOCK_MONOTONIC.
    pub at_ns: u64,
    pub max_rss_bytes: u64,
    /// What the files in the box take when the main process has ended, in whole pages.
    pub box_bytes: u64,
    pub minor_faults: u64,
    pub major_faults: u64,
    pub voluntary_switches: u64,
    pub forced_switches: u64,
}

/// A step of building a container or a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u32)]
pub enum Step {
    Request = 1,
    ControlGroups,
    UserNamespace,
    Namespaces,
    Root,
    PivotRoot,
    Capabilities,
    Clone,
    BoxTmpfs,
    Proc,
    Mounts,
    Descriptors,
    ForkMain,
    JoinUserNamespace,
    User,
    ResourceLimits,
    Affinity,
    WorkingDirectory,
    Seccomp,
    Exec,
    Wait,
}

impl Step {
    const ALL: [Self; 21] = [
        Self::Request,
        Self::ControlGroups,
        Self::UserNamespace,
        Self::Namespaces,
        Self::Root,
        Self::PivotRoot,
        Self::Capabilities,
        Self::Clone,
        Self::BoxTmpfs,
        Self::Proc,
        Self::Mounts,
        Self::Descriptors,
        Self::ForkMain,
        Self::JoinUserNamespace,
        Self::User,
        Self::ResourceLimits,
        Self::Affinity,
        Self::WorkingDirectory,
        Self::Seccomp,
        Self::Exec,
        Self::Wait,
    ];

    pub fn from_number(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|step| *step as u32 == number)
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Request => "read the request",
            Self::ControlGroups => "enter its control groups",
            Self::UserNamespace => "make a user namespace",
            Self::Namespaces => "make mount, network, UTS and IPC namespaces",
            Self::Root => "build the read-only root",
            Self::PivotRoot => "change into the new root",
            Self::Capabilities => "drop capabilities",
            Self::Clone => "clone into fresh namespaces",
            Self::BoxTmpfs => "mount the box",
            Self::Proc => "mount /proc",
            Self::Mounts => "mount the run's files",
            Self::Descriptors => "set up standard input and output",
            Self::ForkMain => "clone the main process into its control group",
            Self::JoinUserNamespace => "join the user namespace",
            Self::User => "become the slot's user",
            Self::ResourceLimits => "set resource limits",
            Self::Affinity => "bind to the run's CPUs",
            Self::WorkingDirectory => "enter the working directory",
            Self::Seccomp => "install the system call filter",
            Self::Exec => "execute the program",
            Self::Wait => "wait for the program",
        })
    }
}

/// Sends one message.
pub fn send<M: Serialize>(socket: impl AsFd, message: &M, fds: &[BorrowedFd<'_>]) -> io::Result<()> {
    let bytes = postcard::to_allocvec(message).map_err(io::Error::other)?;
    if bytes.len() > REQUEST_BYTES_MAX || fds.len() > REQUEST_DESCRIPTORS_MAX {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "arguments, environment and mounts together are too large for one run",
        ));
    }
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(REQUEST_DESCRIPTORS_MAX))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !fds.is_empty() && !control.push(SendAncillaryMessage::ScmRights(fds)) {
        return Err(io::Error::other("too many descriptors"));
    }
    rustix::net::sendmsg(socket, &[IoSlice::new(&bytes)], &mut control, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Receives one message; `None` when the other side is gone.
pub fn receive<M: DeserializeOwned>(
    socket: impl AsFd,
    buffer: &mut Vec<u8>,
) -> io::Result<Option<(M, Vec<OwnedFd>)>> {
    if buffer.len() < REQUEST_BYTES_MAX {
        // Fresh zeroed memory costs nothing where no message reaches; growing the buffer would write it all.
        *buffer = vec![0; REQUEST_BYTES_MAX];
    }
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(REQUEST_DESCRIPTORS_MAX))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let message =
        rustix::net::recvmsg(socket, &mut [IoSliceMut::new(buffer)], &mut control, RecvFlags::CMSG_CLOEXEC)?;
    if message.bytes == 0 {
        return Ok(None);
    }
    if message.flags.contains(ReturnFlags::TRUNC) {
        return Err(io::Error::other("message too long"));
    }
    let mut fds = Vec::new();
    for part in control.drain() {
        if let RecvAncillaryMessage::ScmRights(received) = part {
            fds.extend(received);
        }
    }
    let message = postcard::from_bytes(&buffer[..message.bytes]).map_err(io::Error::other)?;
    Ok(Some((message, fds)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

    #[test]
    fn messages_carry_descriptors() {
        let (a, b) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None).unwrap();
        let file = std::fs::File::open("/dev/null").unwrap();
        send(&a, &Answer::Failed { step: Step::Exec, errno: 2 }, &[file.as_fd()]).unwrap();
        let mut buffer = Vec::new();
        let (answer, fds) = receive::<Answer>(&b, &mut buffer).unwrap().unwrap();
        assert!(matches!(answer, Answer::Failed { step: Step::Exec, errno: 2 }));
        assert_eq!(fds.len(), 1);
        drop(a);
        assert!(receive::<Answer>(&b, &mut buffer).unwrap().is_none());
    }

    #[test]
    fn oversized_messages_are_refused() {
        let (a, _b) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None).unwrap();
        assert!(send(&a, &"x".repeat(REQUEST_BYTES_MAX), &[]).is_err());
    }

    #[test]
    fn every_step_has_a_number() {
        for step in Step::ALL {
            assert_eq!(Step::from_number(step as u32), Some(step));
        }
    }
}
