//! Keeps runs from sending descriptors over sockets.
//!
//! A socket that is sent over itself and closed is garbage, which threads of the kernel look for; a program that makes
//! such garbage in a loop keeps them busy on its CPU, and their time is not in its own. No filter of system calls sees what
//! a message has with it. But the kernel counts how many descriptors a user has sent that were not received yet, and
//! refuses more than the sender may have open (`ETOOMANYREFS`, unix(7)). So the launcher sends that many in the name of the
//! role's user, and never receives them. They are no sockets, so there is no garbage to look for.

use crate::launcher::{StepResult, at};
use crate::plan::Role;
use crate::protocol::Step;
use rustix::event::{EventfdFlags, eventfd};
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType, sendmsg,
    socketpair,
};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::set_thread_res_uid;
use std::collections::BTreeMap;
use std::io::IoSlice;
use std::mem::MaybeUninit;

/// The most descriptors that the kernel takes in one message (`SCM_MAX_FD`).
const MESSAGE_DESCRIPTORS_MAX: usize = 253;

/// Descriptors that are on their way forever.
#[derive(Debug, Default)]
pub struct InFlight {
    of_roles: BTreeMap<Role, UserMessages>,
}

#[derive(Debug, Default)]
struct UserMessages {
    count: u64,
    /// Messages live as long as the socket that would receive them.
    receivers: Vec<OwnedFd>,
}

impl InFlight {
    /// Has more descriptors of this role's user on their way than a run with these resource limits may have open. It has
    /// to be called before the run starts: for a moment this process belongs to its user.
    pub fn exceed(&mut self, role: Role, user: u32, rlimits: &[(u32, u64)]) -> StepResult<()> {
        let own = getrlimit(Resource::Nofile);
        let hard = own.maximum.unwrap_or(u64::MAX);
        let asked = rlimits.iter().filter(|(resource, _)| *resource == libc::RLIMIT_NOFILE);
        let limit = asked.fold(hard, |hard, (_, value)| hard.min(*value));
        let sent = self.of_roles.entry(role).or_default();
        if sent.count > limit {
            return Ok(());
        }
        // This process may be limited itself: in a user namespace the kernel makes no exception for root.
        let raised = Rlimit { current: own.maximum, ..own };
        setrlimit(Resource::Nofile, raised).map_err(at(Step::ResourceLimits))?;
        let result = as_user(user, || sent.exceed(limit));
        setrlimit(Resource::Nofile, own).map_err(at(Step::ResourceLimits))?;
        result.map_err(at(Step::ResourceLimits))
    }

    /// Returns the descriptors that have to stay open, in ascending order.
    pub fn receivers(&self) -> Vec<i32> {
        let receivers = self.of_roles.values().flat_map(|sent| &sent.receivers);
        let mut numbers: Vec<_> = receivers.map(AsRawFd::as_raw_fd).collect();
        numbers.sort_unstable();
        numbers
    }
}

impl UserMessages {
    fn exceed(&mut self, limit: u64) -> Result<(), Errno> {
        let nothing = eventfd(0, EventfdFlags::CLOEXEC)?;
        while self.count <= limit {
            let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
            let (sender, receiver) = socketpair(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
            self.receivers.push(receiver);
            while self.count <= limit {
                let count = (limit - self.count + 1).min(MESSAGE_DESCRIPTORS_MAX as u64);
                match send(&sender, nothing.as_fd(), count as usize) {
                    Ok(()) => self.count += count,
                    // This socket is full.
                    Err(Errno::AGAIN) => break,
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(())
    }
}

fn send(over: &OwnedFd, descriptor: BorrowedFd<'_>, times: usize) -> Result<(), Errno> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MESSAGE_DESCRIPTORS_MAX))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let descriptors = [descriptor; MESSAGE_DESCRIPTORS_MAX];
    if !control.push(SendAncillaryMessage::ScmRights(&descriptors[..times])) {
        return Err(Errno::MSGSIZE);
    }
    sendmsg(over, &[IoSlice::new(b"-")], &mut control, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Does something that the kernel counts as this user's. The effective user stays, and with it all capabilities.
fn as_user(user: u32, action: impl FnOnce() -> Result<(), Errno>) -> Result<(), Errno> {
    use rustix::process::{Uid, geteuid, getuid};
    let (real, effective) = (getuid(), geteuid());
    set_thread_res_uid(Uid::from_raw(user), effective, effective)?;
    let result = action();
    set_thread_res_uid(real, effective, effective)?;
    result
}
