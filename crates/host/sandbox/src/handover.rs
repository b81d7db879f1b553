//! What is handed to the process that builds a container: the root to build, users, groups to enter, claims to hold.

use crate::SandboxError;
use crate::plan::Role;
use crate::protocol::{self, Furnishing, Setup};
use crate::root::RootView;
use crate::slot_number::{RUN_FOLDER, SlotNumber};
use cgroup::{Claim, SlotGroups};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use serde::Serialize;

pub fn send_root(socket: &OwnedFd, root: &RootView) -> Result<(), SandboxError> {
    let root = root.entries().map_err(SandboxError::file("list the root", "/"))?;
    send(socket, &Setup { root, mount_point: format!("{RUN_FOLDER}/root") }, &[])
}

pub fn send_users(socket: &OwnedFd, place: &SlotNumber, roles: &[Role]) -> Result<(), SandboxError> {
    let users = roles.iter().map(|role| (*role, place.user(*role))).collect();
    send(socket, &Furnishing::Users(users), &[])
}

/// Sends the groups, and claims to hold as long as the receiver exists.
pub fn send_belongings<'a>(
    socket: &OwnedFd,
    groups: &SlotGroups,
    claims: impl Iterator<Item = &'a Claim>,
) -> Result<(), SandboxError> {
    let entrances = groups.entrances()?;
    let belongings = Furnishing::Belongings { groups: entrances.len() as u32 };
    let claims: Vec<_> = claims.flat_map(Claim::files).collect();
    let fds: Vec<_> = entrances.iter().map(AsFd::as_fd).chain(claims).collect();
    send(socket, &belongings, &fds)
}

fn send(socket: &OwnedFd, message: &impl Serialize, fds: &[BorrowedFd<'_>]) -> Result<(), SandboxError> {
    protocol::send(socket, message, fds).map_err(SandboxError::system("send to a helper"))
}
