//! A slot's place on the machine: its number, which no other process has, and its users.
//!
//! A number is claimed in the tree of control groups, where processes with different folders at `/run` see it too. The
//! locked file in `/run/tauto` shows people which process has the number; versions of tauto without claims lock it alone.

use crate::SandboxError;
use crate::plan::Role;
use crate::root::DEVICES;
use crate::slot::SlotCpus;
use cgroup::{CgroupError, Claim, ClaimPlace, Claimable, Layout, SlotGroups, own_file};
use rustix::fs::FlockOperation;
use rustix::thread::CapabilitySet;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The folder of tauto's locks and mount points.
pub const RUN_FOLDER: &str = "/run/tauto";

/// More slots than any machine has CPUs for would be a mistake.
const SLOTS_MAX: u32 = 1024;

/// Each attempt takes a second; a machine with this many programs that cannot be ended needs its operator.
const OCCUPIED_MAX: usize = 5;

/// First of the host's users that slots use, [`USERS_PER_SLOT`] each. From 1,879,048,192 up no
/// distribution, systemd or container runtime assigns users (systemd, "Users, Groups, UIDs and GIDs").
const FIRST_USER: u32 = 0x7000_0000;
const USERS_PER_SLOT: u32 = 4;

/// A slot's number, reserved until this is dropped or the process ends.
#[derive(Debug)]
pub struct SlotNumber {
    pub index: u32,
    machine: Machine,
    _lock: File,
    claim: Claim,
}

#[derive(Clone, Debug)]
struct Machine {
    folder: PathBuf,
    layout: Layout,
    claims: ClaimPlace,
}

impl SlotNumber {
    /// Takes the first number that no other process holds and for which `make` succeeds. Numbers with an earlier run
    /// that could not be ended are skipped.
    pub fn take<T>(make: impl Fn(&Self) -> Result<T, SandboxError>) -> Result<(Self, T), SandboxError> {
        let machine = Machine::here()?;
        // Locked until another one is found, so that they are not tried again.
        let mut occupied = Vec::new();
        loop {
            let place = machine.first_free()?;
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

    pub fn groups(&self, residents: u32, cpus: &SlotCpus) -> Result<SlotGroups, SandboxError> {
        if cpus.own.is_some() || cpus.claim.is_some() {
            self.end_left_over();
        }
        Ok(SlotGroups::create(&self.machine.layout, self.index, residents, cpus.own.as_ref())?)
    }

    pub fn claim(&self) -> &Claim {
        &self.claim
    }

    pub(crate) fn remove_groups(&self) {
        let _ = cgroup::remove_slot_groups(&self.machine.layout, self.index);
    }

    /// Ends what is left of places whose owner was killed: a run there may still be on the CPUs of this slot, and its groups
    /// may have them for themselves.
    fn end_left_over(&self) {
        let layout = &self.machine.layout;
        let others = cgroup::slots_with_groups(layout).into_iter().filter(|index| *index != self.index);
        // A living owner holds its number, and so does the launcher of one that was killed, until its run has ended.
        let left: Vec<Self> = others.filter_map(|index| self.machine.reserve(index).ok()?).collect();
        // What cannot be removed is reported: as a disturbance of runs, or as CPUs that are taken.
        cgroup::end_slots(layout, left.iter().map(|left| left.index));
    }

    pub fn user(&self, role: Role) -> u32 {
        FIRST_USER + self.index * USERS_PER_SLOT + role.index()
    }
}

pub fn prepare() -> Result<(), SandboxError> {
    check_rights()?;
    check_proc()?;
    check_devices(Path::new("/dev"))?;
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

/// What a run does is read from `/proc` by its processes' numbers.
fn check_proc() -> Result<(), SandboxError> {
    let own = fs::read_link("/proc/self").map_err(SandboxError::file("read", "/proc/self"))?;
    if own.to_str().and_then(|own| own.parse().ok()) == Some(std::process::id()) {
        Ok(())
    } else {
        Err(SandboxError::ForeignProc)
    }
}

/// Every run sees these devices, and helpers start with one of them; where one is missing, no later error names it.
fn check_devices(folder: &Path) -> Result<(), SandboxError> {
    for (name, minor) in DEVICES {
        let path = folder.join(name);
        let checked = fs::metadata(&path).and_then(|seen| match seen.file_type().is_char_device() {
            true => Ok(()),
            false => Err(io::Error::other("it is no character device")),
        });
        checked.map_err(|source| SandboxError::Device { path, minor, source })?;
    }
    Ok(())
}

impl Machine {
    fn here() -> Result<Self, SandboxError> {
        let layout = Layout::detect()?;
        let claims = ClaimPlace::of_machine(&layout)?;
        Ok(Self { folder: RUN_FOLDER.into(), layout, claims })
    }

    fn first_free(&self) -> Result<SlotNumber, SandboxError> {
        for index in 0..SLOTS_MAX {
            if let Some(place) = self.reserve(index)? {
                return Ok(place);
            }
        }
        Err(SandboxError::NoFreeSlot(SLOTS_MAX))
    }

    /// Reserves one number; `None` if another process holds it.
    fn reserve(&self, index: u32) -> Result<Option<SlotNumber>, SandboxError> {
        let path = self.folder.join(format!("slot-{index}.lock"));
        let lock = own_file::make(&path).map_err(SandboxError::file("open the lock", &path))?;
        match rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(rustix::io::Errno::WOULDBLOCK) => return Ok(None),
            Err(error) => return Err(SandboxError::file("lock", &path)(error.into())),
        }
        let claim = self.claims.open()?;
        let taken = claim.take(Claimable::Slot(index))?;
        Ok(taken.then(|| SlotNumber { index, machine: self.clone(), _lock: lock, claim }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn missing_device_and_plain_file_are_named() {
        check_devices(Path::new("/dev")).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let message = || {
            let error = check_devices(folder.path()).unwrap_err();
            assert!(error.to_string().ends_with("/null"), "{error}");
            assert!(error.hint().unwrap().ends_with("/null c 1 3'"));
            std::error::Error::source(&error).unwrap().to_string()
        };
        assert!(message().contains("No such file"));
        fs::write(folder.path().join("null"), "").unwrap();
        assert_eq!(message(), "it is no character device");
    }

    /// Two folders at `/run`, and one tree of groups.
    struct Two {
        _folders: [tempfile::TempDir; 3],
        machines: [Machine; 2],
        root: PathBuf,
    }

    fn two() -> Two {
        let folders = [(); 3].map(|()| tempfile::tempdir().unwrap());
        let [first, second, tree] = folders.each_ref().map(tempfile::TempDir::path);
        fs::write(tree.join("cgroup.procs"), "").unwrap();
        let layout = Layout { unified: Some((tree.to_owned(), Vec::new())), v1: BTreeMap::new() };
        let claims = ClaimPlace::at(tree).unwrap();
        let machine = |folder: &Path| Machine {
            folder: folder.to_owned(),
            layout: layout.clone(),
            claims: claims.clone(),
        };
        Two { machines: [machine(first), machine(second)], root: tree.to_owned(), _folders: folders }
    }

    #[test]
    fn processes_with_different_folders_have_different_numbers() {
        let Two { machines: [one, other], _folders, .. } = two();
        let first = one.first_free().unwrap();
        let second = other.first_free().unwrap();
        assert_eq!((first.index, second.index), (0, 1));
        assert_ne!(first.user(Role::ALL[0]), second.user(Role::ALL[0]));
        assert_eq!(one.first_free().unwrap().index, 2);
        drop(first);
        assert_eq!(other.first_free().unwrap().index, 0);
    }

    /// A version of tauto without claims holds only the file.
    #[test]
    fn a_locked_file_alone_reserves_a_number() {
        let Two { machines: [one, other], _folders, .. } = two();
        let file = File::create(one.folder.join("slot-0.lock")).unwrap();
        rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).unwrap();
        assert_eq!(one.first_free().unwrap().index, 1);
        assert_eq!(other.first_free().unwrap().index, 0);
    }

    #[test]
    fn numbers_are_different_however_many_processes_take_them_at_once() {
        let Two { machines, _folders, .. } = two();
        let taken: Vec<SlotNumber> = std::thread::scope(|scope| {
            let take = |at: usize| machines[at % 2].first_free().unwrap();
            let threads: Vec<_> = (0..20).map(|at| scope.spawn(move || take(at))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(taken.iter().map(|number| number.index).collect::<BTreeSet<_>>().len(), 20);
    }

    #[test]
    fn only_groups_of_dead_owners_are_removed() {
        let Two { machines: [one, other], root, _folders } = two();
        let ours = one.first_free().unwrap();
        let living = other.first_free().unwrap();
        let group = |index: u32| root.join(format!("tauto-slot-{index}"));
        for index in [ours.index, living.index, 2] {
            fs::create_dir(group(index)).unwrap();
        }
        let [mut of_living, mut of_dead] = [living.index, 2].map(|index| {
            let process = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
            fs::write(group(index).join("cgroup.procs"), format!("{}\n", process.id())).unwrap();
            process
        });
        ours.end_left_over();
        of_dead.wait().unwrap();
        assert_eq!(of_living.try_wait().unwrap(), None);
        drop(living);
        ours.end_left_over();
        of_living.wait().unwrap();
        for index in [1, 2] {
            fs::remove_file(group(index).join("cgroup.procs")).unwrap();
        }
        ours.end_left_over();
        let left: Vec<bool> = (0..3).map(|index| group(index).exists()).collect();
        assert_eq!(left, [true, false, false]);
    }

    /// A launcher may outlive the process that took the place.
    #[test]
    fn a_place_is_held_while_another_process_has_its_claim_open() {
        let Two { machines: [one, other], _folders, .. } = two();
        let place = one.first_free().unwrap();
        let given: Vec<_> = place.claim().files().map(|file| file.try_clone_to_owned().unwrap()).collect();
        drop(place);
        for machine in [&one, &other] {
            assert_eq!(machine.first_free().unwrap().index, 1);
        }
        drop(given);
        assert_eq!(other.first_free().unwrap().index, 0);
    }

    #[test]
    fn pipe_in_place_of_a_lock_is_named() {
        let Two { machines: [one, _], _folders, .. } = two();
        let path = one.folder.join("slot-0.lock");
        let mode = rustix::fs::Mode::from_raw_mode(0o666);
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        let error = one.first_free().unwrap_err();
        assert_eq!(error.to_string(), format!("cannot open the lock {}", path.display()));
        let why = std::error::Error::source(&error).unwrap().to_string();
        assert!(why.starts_with("it is a named pipe; expected a regular file"), "{why}");
    }
}
