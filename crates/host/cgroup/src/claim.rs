//! Claims: which process uses what exists once on the machine, whatever is mounted on its `/run`.
//!
//! Two processes can have different folders at `/run`, as in containers. What they share is the kernel's tree of control
//! groups. A claim is a lock on a byte of a file there that always exists (`cgroup.procs` of a hierarchy's root), one
//! byte for each thing, so none has to be created, and none can be removed between opening and locking. A lock belongs
//! to an open file and ends with the last process that has it open, however that ends: a slot's launcher has it open,
//! too, so that a claim lasts as long as a run can use what is claimed.
//!
//! A process in a cgroup namespace sees its own group as the root. The true root is opened by its handle, and is
//! claimed as well. Where that is not permitted, a claim excludes only processes that see the same tree.

use crate::root_handle;
use crate::{CgroupError, Controller, Home, Layout};
use nix::errno::Errno;
use nix::fcntl::{FcntlArg, fcntl};
use nix::libc;
use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// It is in the root of every hierarchy of both versions.
const FILE: &str = "cgroup.procs";
/// How many bytes each kind of thing has.
const AREA: i64 = 1 << 56;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claimable {
    /// The choice of CPUs, for a moment.
    Choosing,
    /// A slot, by its number: its groups and its users.
    Slot(u32),
    /// A CPU for timed runs.
    Cpu(u32),
    /// The kernel's own work that a process has moved, by the number of the folder with its record.
    MovedWork(u64),
}

impl Claimable {
    const fn kind(self) -> i64 {
        match self {
            Self::Choosing => 0,
            Self::Slot(_) => 1,
            Self::Cpu(_) => 2,
            Self::MovedWork(_) => 3,
        }
    }

    const fn byte(self) -> i64 {
        let number = match self {
            Self::Choosing => 0,
            Self::Slot(number) | Self::Cpu(number) => number as i64,
            Self::MovedWork(folder) => (folder % AREA as u64) as i64,
        };
        self.kind() * AREA + number
    }
}

#[derive(Clone, Debug)]
pub struct ClaimPlace {
    /// Folders with the file that is locked, in the same order for all processes.
    roots: Vec<Arc<Root>>,
}

#[derive(Debug)]
struct Root {
    folder: File,
    path: PathBuf,
}

/// Open files for claims: what is claimed with them is held until they are dropped. Two of them exclude each other, also
/// in one process.
#[derive(Debug)]
pub struct Claim {
    files: Vec<(File, PathBuf)>,
}

impl ClaimPlace {
    /// Returns the place of this machine: every hierarchy that is needed for a slot. The same process may find more or
    /// fewer of them than another, so a claim is made in each.
    pub fn of_machine(layout: &Layout) -> Result<Self, CgroupError> {
        let memory = match layout.home(Controller::Memory) {
            Some(Home::V1(root)) => Some(root),
            _ => None,
        };
        let visible = layout.unified.iter().map(|(root, _)| root.clone()).chain(memory);
        let mut place = Self { roots: Vec::new() };
        for path in visible {
            let folder = Root::open(&path)?;
            if let Some(root) = root_handle::open_true_root(&folder.folder) {
                place.add(Root { folder: root, path: path.clone() })?;
            }
            place.add(folder)?;
        }
        Ok(place)
    }

    /// Returns a place for tests: a folder that contains the file.
    pub fn at(path: &Path) -> Result<Self, CgroupError> {
        Ok(Self { roots: vec![Arc::new(Root::open(path)?)] })
    }

    /// Returns whether there is nowhere to make a claim: no hierarchy is mounted.
    pub fn is_nowhere(&self) -> bool {
        self.roots.is_empty()
    }

    fn add(&mut self, root: Root) -> Result<(), CgroupError> {
        let identity = root.identity()?;
        for known in &self.roots {
            if known.identity()? == identity {
                return Ok(());
            }
        }
        self.roots.push(Arc::new(root));
        Ok(())
    }

    pub fn open(&self) -> Result<Claim, CgroupError> {
        self.open_with(OFlags::RDWR)
    }

    /// Opens the files to see what is claimed; nothing but shared claims can be made with the result.
    pub fn open_to_read(&self) -> Result<Claim, CgroupError> {
        self.open_with(OFlags::RDONLY)
    }

    fn open_with(&self, access: OFlags) -> Result<Claim, CgroupError> {
        let open = |root: &Arc<Root>| {
            let path = root.path.join(FILE);
            match rustix::fs::openat(&root.folder, FILE, access | OFlags::CLOEXEC, Mode::empty()) {
                Ok(file) => Ok((File::from(file), path)),
                Err(error) => Err(CgroupError::Claim { path, source: error.into() }),
            }
        };
        Ok(Claim { files: self.roots.iter().map(open).collect::<Result<_, _>>()? })
    }
}

impl Root {
    fn open(path: &Path) -> Result<Self, CgroupError> {
        match File::open(path) {
            Ok(folder) => Ok(Self { folder, path: path.to_owned() }),
            Err(source) => Err(CgroupError::Read { path: path.to_owned(), source }),
        }
    }

    fn identity(&self) -> Result<(u64, u64), CgroupError> {
        match self.folder.metadata() {
            Ok(metadata) => Ok((metadata.dev(), metadata.ino())),
            Err(source) => Err(CgroupError::Read { path: self.path.clone(), source }),
        }
    }
}

impl Claim {
    /// Claims a thing; returns whether no other claim holds it.
    pub fn take(&self, what: Claimable) -> Result<bool, CgroupError> {
        self.lock(what, libc::F_WRLCK)
    }

    /// Claims a thing together with others that share it; returns whether no claim holds it alone.
    pub fn share(&self, what: Claimable) -> Result<bool, CgroupError> {
        self.lock(what, libc::F_RDLCK)
    }

    /// Returns the open files, for another process to have: what is claimed with them is held until both have closed
    /// them.
    pub fn files(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.files.iter().map(|(file, _)| file.as_fd())
    }

    fn lock(&self, what: Claimable, kind: i32) -> Result<bool, CgroupError> {
        for (at, (file, path)) in self.files.iter().enumerate() {
            match fcntl(file, FcntlArg::F_OFD_SETLK(&range(kind, what.byte(), 1))) {
                Ok(_) => {}
                Err(Errno::EAGAIN | Errno::EACCES) => {
                    for (locked, path) in &self.files[..at] {
                        fcntl(locked, FcntlArg::F_OFD_SETLK(&range(libc::F_UNLCK, what.byte(), 1)))
                            .map_err(failed(path))?;
                    }
                    return Ok(false);
                }
                Err(error) => return Err(failed(path)(error)),
            }
        }
        Ok(true)
    }

    /// Returns whether another claim holds a thing, alone or shared.
    pub fn is_held(&self, what: Claimable) -> Result<bool, CgroupError> {
        self.is_any_held(what.byte(), 1)
    }

    /// Returns whether another claim holds a thing of the same kind as `what`, but not `what` itself.
    pub fn is_another_held(&self, what: Claimable) -> Result<bool, CgroupError> {
        let (first, byte) = (what.kind() * AREA, what.byte());
        let after = byte + 1;
        Ok((byte > first && self.is_any_held(first, byte - first)?)
            || (after < first + AREA && self.is_any_held(after, first + AREA - after)?))
    }

    fn is_any_held(&self, first: i64, length: i64) -> Result<bool, CgroupError> {
        for (file, path) in &self.files {
            let mut found = range(libc::F_WRLCK, first, length);
            fcntl(file, FcntlArg::F_OFD_GETLK(&mut found)).map_err(failed(path))?;
            if i32::from(found.l_type) != libc::F_UNLCK {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Waits until no other claim holds a thing alone. Another may take it right afterwards.
    pub fn wait_for(&self, what: Claimable) -> Result<(), CgroupError> {
        for (file, path) in &self.files {
            for kind in [libc::F_RDLCK, libc::F_UNLCK] {
                while let Err(error) = fcntl(file, FcntlArg::F_OFD_SETLKW(&range(kind, what.byte(), 1))) {
                    if error != Errno::EINTR {
                        return Err(failed(path)(error));
                    }
                }
            }
        }
        Ok(())
    }
}

fn range(kind: i32, first: i64, length: i64) -> libc::flock {
    // The kernel's types are shorter than the constants', whose values fit.
    libc::flock {
        l_type: kind as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: first,
        l_len: length,
        l_pid: 0,
    }
}

fn failed(path: &Path) -> impl FnOnce(Errno) -> CgroupError {
    let path = path.to_owned();
    move |errno| CgroupError::Claim { path, source: io::Error::from(errno) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> (tempfile::TempDir, ClaimPlace) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), "").unwrap();
        let place = ClaimPlace::at(folder.path()).unwrap();
        (folder, place)
    }

    #[test]
    fn claim_is_exclusive_until_dropped() {
        let (_folder, place) = place();
        let (one, other) = (place.open().unwrap(), place.open().unwrap());
        assert!(one.take(Claimable::Slot(3)).unwrap());
        assert!(!other.take(Claimable::Slot(3)).unwrap());
        assert!(other.take(Claimable::Slot(4)).unwrap());
        assert!(other.take(Claimable::Cpu(3)).unwrap(), "another kind of thing");
        let seen = place.open_to_read().unwrap();
        assert!(seen.is_held(Claimable::Slot(3)).unwrap() && !seen.is_held(Claimable::Slot(5)).unwrap());
        drop(one);
        assert!(!seen.is_held(Claimable::Slot(3)).unwrap());
        assert!(other.take(Claimable::Slot(3)).unwrap());
    }

    #[test]
    fn a_claim_lasts_until_its_last_file_is_closed() {
        let (_folder, place) = place();
        let claim = place.open().unwrap();
        assert!(claim.take(Claimable::Cpu(3)).unwrap());
        let given: Vec<_> = claim.files().map(|file| file.try_clone_to_owned().unwrap()).collect();
        drop(claim);
        let other = place.open().unwrap();
        assert!(!other.take(Claimable::Cpu(3)).unwrap());
        drop(given);
        assert!(other.take(Claimable::Cpu(3)).unwrap());
    }

    #[test]
    fn shared_claims_need_the_same_folder() {
        let (_folder, place) = place();
        for folder in [0, 7, u64::MAX] {
            let [one, same, other] = [(); 3].map(|()| place.open().unwrap());
            let ours = Claimable::MovedWork(folder);
            assert!(one.share(ours).unwrap() && same.share(ours).unwrap());
            assert!(!same.is_another_held(ours).unwrap());
            assert!(other.is_another_held(Claimable::MovedWork(3)).unwrap());
            assert!(!other.is_another_held(Claimable::Cpu(3)).unwrap());
            assert!(!other.take(ours).unwrap());
            assert!(other.share(Claimable::MovedWork(3)).unwrap());
            assert!(one.is_another_held(ours).unwrap());
        }
    }

    /// A process that sees only one of two trees must still exclude one that sees both.
    #[test]
    fn a_claim_that_fails_in_one_tree_is_held_in_none() {
        let (_one, first) = place();
        let (_other, second) = place();
        let both = ClaimPlace { roots: [&first, &second].map(|place| place.roots[0].clone()).to_vec() };
        let held = second.open().unwrap();
        assert!(held.take(Claimable::Cpu(1)).unwrap());
        let claim = both.open().unwrap();
        assert!(!claim.take(Claimable::Cpu(1)).unwrap());
        assert!(first.open().unwrap().take(Claimable::Cpu(1)).unwrap());
        drop(held);
        assert!(claim.take(Claimable::Cpu(1)).unwrap());
        assert!(!first.open().unwrap().take(Claimable::Cpu(1)).unwrap());
    }

    #[test]
    fn folder_seen_twice_counts_once() {
        let (folder, mut place) = place();
        place.add(Root::open(folder.path()).unwrap()).unwrap();
        assert_eq!(place.roots.len(), 1);
    }
}
