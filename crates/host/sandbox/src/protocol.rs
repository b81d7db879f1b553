//! Messages between supervisor and launcher over a socket.
//!
//! One message is one packet (`SOCK_SEQPACKET`), encoded with postcard; descriptors are sent with it.

use crate::plan::{Role, SeccompClass};
use model::{InstructionCount, Nanos, REQUEST_BYTES_MAX, REQUEST_DESCRIPTORS_MAX};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::fmt;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;

#[derive(Debug, Serialize, Deserialize)]
pub struct Setup {
    pub root: Vec<RootEntry>,
    pub mount_point: String,
}

#[derive(Debug, Serialize, Deserialize)]
pub enum Furnishing {
    /// The host's user for each role; inside, each is user 1000. It is sent before the groups are made, and again if
    /// the slot then gets another number.
    Users(Vec<(Role, u32)>),
    /// The last: with it come this many control groups to enter, then open files of claims that are to stay held.
    Belongings { groups: u32 },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RootEntry {
    Directory {
        path: String,
    },
    /// A directory of the host, read-only.
    BindDirectory {
        source: String,
        path: String,
    },
    /// A file of the host, read-only.
    BindFile {
        source: String,
        path: String,
    },
    /// A device of the host, which can be used.
    Device {
        source: String,
        path: String,
    },
    Link {
        path: String,
        to: String,
    },
    File {
        path: String,
        content: String,
    },
}

#[derive(Debug, Serialize, Deserialize)]
pub enum Request {
    Run(Box<RunRequest>),
    /// A short task on the runs' CPUs. With it comes the control group, if `into_cgroup`.
    Errand {
        errand: Errand,
        cpus: Vec<u32>,
        into_cgroup: bool,
    },
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum Errand {
    Pace,
    /// Brings this much of the memory that the kernel provides next into the caches.
    WarmMemory {
        bytes: u64,
    },
    Reference,
}

/// One run, without its descriptors: standard input, output and error, then the memory of counts and the plugin's code if
/// `emulation`, then the events of its clock if it is counted by the processor, then the control group if `into_cgroup`, then one detached mount for each target.
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
    pub emulation: Option<Emulation>,
    /// How many events of the processor are its clock.
    pub clock_events: u32,
    /// Whether its addresses are the same in every run.
    pub fixed_addresses: bool,
    pub into_cgroup: bool,
}

/// How a program runs under an emulator, which counts its instructions.
#[derive(Debug, Serialize, Deserialize)]
pub struct Emulation {
    /// The emulator and its arguments, those of the program excepted.
    pub argv: Vec<String>,
    /// What only this process knows: the filter lets the emulator be executed with it, and nothing else without.
    pub pass: u64,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct MountTarget {
    pub path: String,
    pub is_file: bool,
    /// Whether a copy of the file takes the mount's place.
    pub is_copied: bool,
}

#[derive(Debug, Serialize, Deserialize)]
pub enum Answer {
    /// The container is ready; the file of the page with the report of its runs is sent with this.
    Ready,
    Failed {
        step: Step,
        errno: i32,
    },
    /// The run has begun; a pidfd of its init is sent with this.
    Started,
    /// The average time of a loop of [`crate::pace`], the four parts of a reference, or the time that another errand took.
    Done {
        times_ns: [u64; 4],
    },
    /// The run is over and all its processes are reaped.
    Ended(EndReport),
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct EndReport {
    /// `None` if the run ended before.
    pub begun: Option<Execution>,
    /// `None` if the init was killed before it could report.
    pub reaped: Option<ReapedUsage>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Execution {
    /// When it was executed, on CLOCK_MONOTONIC.
    pub at_ns: u64,
    /// CPU time for building the run that was charged to the run's own group.
    pub setup_cpu_ns: u64,
    /// Instructions of building the run that its clock has counted.
    pub setup_instructions: u64,
}

impl Execution {
    /// Returns the program's share of the CPU time that its group has used; both limit and report go by it. A program that was
    /// never executed has used nothing: everything was used for building its run.
    pub fn cpu_time(begun: Option<Self>, used: Nanos) -> Nanos {
        begun.map_or(Nanos::ZERO, |begun| used.saturating_sub(Nanos(begun.setup_cpu_ns)))
    }

    /// Returns the program's share of the instructions that its group has executed, likewise.
    pub fn instructions(begun: Option<Self>, counted: InstructionCount) -> InstructionCount {
        InstructionCount(begun.map_or(0, |begun| counted.0.saturating_sub(begun.setup_instructions)))
    }
}

/// A main process that has ended, and the resources used by it and the processes reaped before it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct ReapedUsage {
    pub status: i32,
    /// When it ended, on CLOCK_MONOTONIC.
    pub at_ns: u64,
    pub max_rss_bytes: u64,
    /// The size of the files in the box when the main process has ended, in whole pages.
    pub box_bytes: u64,
    pub minor_faults: u64,
    pub major_faults: u64,
    pub voluntary_switches: u64,
    pub forced_switches: u64,
}

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
    Clocks,
    Addresses,
    Instructions,
}

impl Step {
    const ALL: [Self; 24] = [
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
        Self::Clocks,
        Self::Addresses,
        Self::Instructions,
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
            Self::Addresses => "fix the program's addresses",
            Self::Instructions => "read the counter of instructions",
            Self::Clocks => "make a time namespace",
        })
    }
}

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

/// Receives one message; `None` if the other side is gone.
pub fn receive<M: DeserializeOwned>(
    socket: impl AsFd,
    buffer: &mut Vec<u8>,
) -> io::Result<Option<(M, Vec<OwnedFd>)>> {
    if buffer.len() < REQUEST_BYTES_MAX {
        // Untouched zeroed memory costs nothing; growing the buffer would write all of it.
        *buffer = vec![0; REQUEST_BYTES_MAX];
    }
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(REQUEST_DESCRIPTORS_MAX))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut read = || {
        let mut parts = [IoSliceMut::new(buffer)];
        rustix::net::recvmsg(&socket, &mut parts, &mut control, RecvFlags::CMSG_CLOEXEC)
    };
    // The first call reports that the other side has closed without reading all that was sent; its last message is still there.
    let message = match read() {
        Err(Errno::CONNRESET) => read(),
        read => read,
    }?;
    if message.bytes == 0 {
        return Ok(None);
    }
    if message.flags.contains(ReturnFlags::TRUNC) {
        return Err(io::Error::other("message too long"));
    }
    // Some of the descriptors found no place in this process.
    if message.flags.contains(ReturnFlags::CTRUNC) {
        return Err(io::Error::from_raw_os_error(libc::EMFILE));
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
    fn last_message_of_a_peer_that_left_data_unread_is_received() {
        let (a, b) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None).unwrap();
        send(&a, &Furnishing::Users(Vec::new()), &[]).unwrap();
        send(&b, &Answer::Failed { step: Step::Root, errno: 2 }, &[]).unwrap();
        drop(b);
        let (answer, _) = receive::<Answer>(&a, &mut Vec::new()).unwrap().unwrap();
        assert!(matches!(answer, Answer::Failed { step: Step::Root, errno: 2 }));
    }

    #[test]
    fn setup_time_is_not_charged_to_the_program() {
        let begun = Some(Execution { at_ns: 1, setup_cpu_ns: 30, setup_instructions: 7 });
        assert_eq!(Execution::cpu_time(begun, Nanos(100)), Nanos(70));
        assert_eq!(Execution::cpu_time(begun, Nanos(29)), Nanos::ZERO);
        assert_eq!(Execution::cpu_time(None, Nanos(100)), Nanos::ZERO);
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
