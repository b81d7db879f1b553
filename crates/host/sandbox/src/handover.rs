//! What is handed to the process that builds a container: the root to build, groups to enter, users, claims to hold.

use crate::SandboxError;
use crate::plan::Role;
use crate::protocol::{self, Belongings, Setup, Step};
use crate::root::RootView;
use crate::slot_number::{RUN_FOLDER, SlotNumber};
use crate::user_namespace;
use cgroup::{Claim, SlotGroups};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use std::fs::File;

/// Returns the specification of the root.
pub fn setup(root: &RootView) -> Result<Setup, SandboxError> {
    Ok(Setup {
        root: root.entries().map_err(SandboxError::file("list the root", "/"))?,
        mount_point: format!("{RUN_FOLDER}/root"),
    })
}

/// Groups, users and claims, as descriptors.
pub struct Handover<'a> {
    entrances: Vec<File>,
    users: Vec<(Role, u32)>,
    namespaces: Vec<OwnedFd>,
    claims: Vec<BorrowedFd<'a>>,
}

impl<'a> Handover<'a> {
    /// Makes the users' namespaces and opens the groups.
    pub fn new(place: &SlotNumber, roles: &[Role], groups: &SlotGroups) -> Result<Self, SandboxError> {
        let users: Vec<_> = roles.iter().map(|role| (*role, place.user(*role))).collect();
        let namespaces = users
            .iter()
            .map(|(_, user)| user_namespace::make(*user))
            .collect::<Result<_, _>>()
            .map_err(|source| SandboxError::Step { step: Step::UserNamespace, source })?;
        Ok(Self { entrances: groups.entrances()?, users, namespaces, claims: Vec::new() })
    }

    /// Adds claims, which are then held as long as the process that gets them exists.
    pub fn with(self, claims: impl Iterator<Item = &'a Claim>) -> Self {
        Self { claims: claims.flat_map(Claim::files).collect(), ..self }
    }

    /// Sends them.
    pub fn send(self, socket: &OwnedFd) -> Result<(), SandboxError> {
        let belongings = Belongings { groups: self.entrances.len() as u32, users: self.users };
        let entrances = self.entrances.iter().map(AsFd::as_fd);
        let namespaces = self.namespaces.iter().map(AsFd::as_fd);
        let fds: Vec<BorrowedFd<'_>> = entrances.chain(namespaces).chain(self.claims).collect();
        protocol::send(socket, &belongings, &fds).map_err(SandboxError::system("send to the launcher"))
    }
}
