//! A slot's place on the machine: its number, protected by a lock, and its users.

use crate::SandboxError;
use crate::plan::Role;
use cgroup::{CgroupError, Layout, OwnCpus, SlotGroups};
use rustix::fs::FlockOperation;
use rustix::thread::CapabilitySet;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The folder of tauto's locks and mount points.
pub const RUN_FOLDER: &str = "/run/tauto";

/// More slots than any machine has CPUs for would be a mistake.
const SLOTS_MAX: u32 = 1024;

/// Each attempt takes some seconds; a machine with this many programs that cannot be ended needs its operator.
const OCCUPIED_MAX: usize = 3;

/// First of the host's users that slots use, [`USERS_PER_SLOT`] each. From 1,879,048,192 up no
/// distribution, systemd or container runtime assigns users (systemd, "Users, Groups, UIDs and GIDs").
const FIRST_USER: u32 = 0x7000_0000;
const USERS_PER_SLOT: u32 = 4;

/// A slot's number, reserved until this is dropped or the process ends.
#[derive(Debug)]
pub struct SlotNumber {
    pub index: u32,
    _lock: File,
}

impl SlotNumber {
    /// Takes the first number that no other process holds and for which `make` succeeds. Numbers with an earlier run
    /// that could not be ended are skipped.
    pub fn take<T>(make: impl Fn(&Self) -> Result<T, SandboxError>) -> Result<(Self, T), SandboxError> {
        // Locked until another one is found, so that they are not tried again.
        let mut occupied = Vec::new();
        loop {
            let place = take_lock(Path::new(RUN_FOLDER))?;
            match make(&place) {
                Err(SandboxError::Cgroup(CgroupError::StillPopulated { .. }))
                    if occupied.len() < OCCUPIED_MAX =>
                {
                    occupied.push(place);
                }
                made => return made.map(|made| (place, made)),
            }
        }
    }

    /// Makes the groups of this place.
    pub fn groups(&self, residents: u32, own: Option<&OwnCpus>) -> Result<SlotGroups, SandboxError> {
        let layout = Layout::detect()?;
        if own.is_some() {
            self.remove_left_over(&layout);
        }
        Ok(SlotGroups::create(&layout, self.index, residents, own)?)
    }

    /// Removes the groups of places whose owner was killed: they may hold CPUs that this slot is to have for itself.
    fn remove_left_over(&self, layout: &Layout) {
        for index in cgroup::slots_with_groups(layout).into_iter().filter(|index| *index != self.index) {
            // A living owner holds the lock. If a group cannot be removed, its CPUs are reported as taken.
            if let Ok(Some(left)) = lock(Path::new(RUN_FOLDER), index) {
                let _ = cgroup::remove_slot_groups(layout, left.index);
            }
        }
    }

    /// Returns the host's user for a role.
    pub fn user(&self, role: Role) -> u32 {
        FIRST_USER + self.index * USERS_PER_SLOT + role.index()
    }
}

/// Prepares the machine for slots and containers.
pub fn prepare() -> Result<(), SandboxError> {
    check_rights()?;
    make_folder(&Path::new(RUN_FOLDER).join("root"))
}

/// Makes a folder and those above it, readable for all users whatever the caller's umask is.
fn make_folder(path: &Path) -> Result<(), SandboxError> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(above) = path.parent() {
        make_folder(above)?;
    }
    match fs::create_dir(path) {
        Ok(()) => fs::set_permissions(path, fs::Permissions::from_mode(0o755))
            .map_err(SandboxError::file("set the mode of", path)),
        // Another tauto process was first.
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(SandboxError::file("create", path)(error)),
    }
}

/// Checks that this process has the permissions that a sandbox needs.
pub(crate) fn check_rights() -> Result<(), SandboxError> {
    let needed = [
        (CapabilitySet::SYS_ADMIN, "CAP_SYS_ADMIN"),
        (CapabilitySet::SETUID, "CAP_SETUID"),
        (CapabilitySet::SETGID, "CAP_SETGID"),
        (CapabilitySet::CHOWN, "CAP_CHOWN"),
        (CapabilitySet::DAC_OVERRIDE, "CAP_DAC_OVERRIDE"),
        (CapabilitySet::KILL, "CAP_KILL"),
        (CapabilitySet::SETPCAP, "CAP_SETPCAP"),
    ];
    let held = rustix::thread::capabilities(None).map_err(SandboxError::system("read our capabilities"))?;
    let missing: Vec<&str> = needed
        .into_iter()
        .filter(|(capability, _)| !held.effective.contains(*capability))
        .map(|(_, name)| name)
        .collect();
    if missing.is_empty() { Ok(()) } else { Err(SandboxError::MissingRights(missing.join(", "))) }
}

/// Locks the first slot that no other process holds; the lock ends with the process.
fn take_lock(folder: &Path) -> Result<SlotNumber, SandboxError> {
    for index in 0..SLOTS_MAX {
        if let Some(place) = lock(folder, index)? {
            return Ok(place);
        }
    }
    Err(SandboxError::NoFreeSlot(SLOTS_MAX))
}

/// Locks one slot; `None` if another process holds it.
fn lock(folder: &Path, index: u32) -> Result<Option<SlotNumber>, SandboxError> {
    let path: PathBuf = folder.join(format!("slot-{index}.lock"));
    let lock = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(SandboxError::file("open the lock", &path))?;
    match rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(SlotNumber { index, _lock: lock })),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
        Err(error) => Err(SandboxError::file("lock", &path)(error.into())),
    }
}
