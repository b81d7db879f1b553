//! Folders in memory that the supervisor fills and runs see.

#![allow(unsafe_code)]

use crate::SandboxError;
use crate::slot_number::RUN_FOLDER;
use model::Bytes;
use rustix::mount::{MountFlags, MountPropagationFlags};
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A folder on a tmpfs of its own: limited in size, removed with its owner.
#[derive(Debug)]
pub struct Workspace {
    path: PathBuf,
}

/// All existing workspaces, so that their content can be measured.
static PRESENT: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

static COUNT: AtomicU32 = AtomicU32::new(0);

/// Whether this process has mounts of its own.
static IS_PRIVATE: AtomicBool = AtomicBool::new(false);

/// Files here are for runs, which are other users.
const FILE_MODE: u32 = 0o644;
const FOLDER_MODE: u32 = 0o755;

/// Makes a mount namespace for this process, so that its mounts are invisible to others and disappear when it ends,
/// even if it is killed.
///
/// Must be called before any thread is started: other threads would keep the old mounts.
pub fn enter_private_mounts() -> Result<(), SandboxError> {
    crate::slot_number::check_rights()?;
    let folder = Path::new(RUN_FOLDER).join("work");
    make_folders(&folder)?;
    // SAFETY: only the mount namespace changes; no memory or descriptor is shared through it.
    unsafe { rustix::thread::unshare_unsafe(rustix::thread::UnshareFlags::NEWNS) }
        .map_err(SandboxError::system("make a mount namespace of our own"))?;
    // The host's mounts propagate into the namespace, but not the other way round.
    rustix::mount::mount_change("/", MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC)
        .map_err(SandboxError::system("make our mounts private"))?;
    rustix::mount::mount(
        "tauto-work",
        &folder,
        "tmpfs",
        MountFlags::NOSUID | MountFlags::NODEV,
        c"mode=755,size=16m",
    )
    .map_err(|error| SandboxError::file("mount a tmpfs on", &folder)(error.into()))?;
    IS_PRIVATE.store(true, Ordering::Relaxed);
    Ok(())
}

impl Workspace {
    /// Mounts an empty workspace.
    ///
    /// # Errors
    /// When it cannot be mounted; [`enter_private_mounts`] must have been called before.
    pub fn new(size: Bytes, files: u32) -> Result<Self, SandboxError> {
        let path = own_folder()?;
        let options = crate::sys::c_string(&format!("mode=755,size={},nr_inodes={files}", size.0))
            .map_err(SandboxError::file("name", &path))?;
        rustix::mount::mount(
            "workspace",
            &path,
            "tmpfs",
            MountFlags::NOSUID | MountFlags::NODEV,
            options.as_c_str(),
        )
        .map_err(|error| SandboxError::file("mount a tmpfs on", &path)(error.into()))?;
        present().push(path.clone());
        Ok(Self { path })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file that all users may read, with the folders above it; `name` is relative and was checked.
    pub fn write(&self, name: &str, content: &[u8]) -> Result<PathBuf, SandboxError> {
        let path = self.place(name)?;
        if let Some(parent) = path.parent() {
            make_folders(parent)?;
        }
        let failed = || SandboxError::file("write", &path);
        let mut file = fs::File::create(&path).map_err(failed())?;
        // The caller's umask may prevent others from reading it.
        file.set_permissions(fs::Permissions::from_mode(FILE_MODE)).map_err(failed())?;
        file.write_all(content).map_err(failed())?;
        // What is derived from it may record its time (Python), and later runs see it with this time.
        crate::sys::set_times(rustix::fs::CWD, &path).map_err(failed())?;
        Ok(path)
    }

    /// Makes a folder that all users may read, with those above it; `name` is as for a file.
    pub fn folder(&self, name: &str) -> Result<PathBuf, SandboxError> {
        let path = self.place(name)?;
        make_folders(&path)?;
        Ok(path)
    }

    /// Gives everything in it the same times.
    pub fn make_ageless(&self) -> Result<(), SandboxError> {
        settle(&self.path)
    }

    fn place(&self, name: &str) -> Result<PathBuf, SandboxError> {
        let relative = Path::new(name);
        let plain = relative.components().all(|part| matches!(part, std::path::Component::Normal(_)));
        if !plain || name.is_empty() {
            return Err(SandboxError::Plan { field: "file name", why: format!("'{name}' leads elsewhere") });
        }
        Ok(self.path.join(relative))
    }

    /// Makes `user` the owner of everything in the workspace, so that a run as that user can write it.
    pub fn give_to(&self, user: u32) -> Result<(), SandboxError> {
        give(&self.path, user)
    }

    /// Makes `user` the owner of one folder of the workspace, with everything in it.
    pub fn give_folder_to(&self, name: &str, user: u32) -> Result<(), SandboxError> {
        give(&self.place(name)?, user)
    }
}

/// Makes an empty folder among this process's own mounts, to mount something on.
///
/// # Panics
/// If it has none: the mount would be for all to see, and stay.
pub(crate) fn own_folder() -> Result<PathBuf, SandboxError> {
    assert!(IS_PRIVATE.load(Ordering::Relaxed), "enter_private_mounts comes first");
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let path = Path::new(RUN_FOLDER).join("work").join(number.to_string());
    fs::create_dir(&path).map_err(SandboxError::file("create", &path))?;
    Ok(path)
}

/// Makes a folder and those above it, with modes that do not depend on the umask.
fn make_folders(path: &Path) -> Result<(), SandboxError> {
    let mut missing = Vec::new();
    let mut next = Some(path);
    while let Some(folder) = next.filter(|folder| !folder.is_dir()) {
        missing.push(folder);
        next = folder.parent();
    }
    for folder in missing.into_iter().rev() {
        fs::create_dir(folder)
            .and_then(|()| fs::set_permissions(folder, fs::Permissions::from_mode(FOLDER_MODE)))
            .map_err(SandboxError::file("create", folder))?;
    }
    Ok(())
}

fn present() -> MutexGuard<'static, Vec<PathBuf>> {
    // A panic elsewhere leaves the list intact.
    PRESENT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the size of all existing workspaces in which one of the `folders` is: files in memory are charged to the
/// runs that wrote them.
pub(crate) fn bytes_in_use(folders: &[PathBuf]) -> Bytes {
    let used = |path: &PathBuf| {
        let volume = rustix::fs::statvfs(path).ok()?;
        Some((volume.f_blocks - volume.f_bfree) * volume.f_frsize)
    };
    let holds_one = |path: &&PathBuf| folders.iter().any(|folder| folder.starts_with(path));
    Bytes(present().iter().filter(holds_one).filter_map(used).sum())
}

/// Gives everything below `path` the same times, if it is in a workspace. Files of the host stay as they are.
pub(crate) fn make_ageless(path: &Path) -> Result<(), SandboxError> {
    let is_ours = present().iter().any(|workspace| path.starts_with(workspace));
    if is_ours { settle(path) } else { Ok(()) }
}

fn settle(path: &Path) -> Result<(), SandboxError> {
    let kind = fs::symlink_metadata(path).map_err(SandboxError::file("look at", path))?;
    if kind.is_dir() {
        for entry in fs::read_dir(path).map_err(SandboxError::file("list", path))? {
            settle(&entry.map_err(SandboxError::file("list", path))?.path())?;
        }
    }
    // Last, since listing a folder is an access.
    crate::sys::set_times(rustix::fs::CWD, path).map_err(SandboxError::file("set the times of", path))
}

fn give(path: &Path, user: u32) -> Result<(), SandboxError> {
    std::os::unix::fs::lchown(path, Some(user), Some(user))
        .map_err(SandboxError::file("change the owner of", path))?;
    let kind = fs::symlink_metadata(path).map_err(SandboxError::file("look at", path))?;
    if kind.is_dir() {
        for entry in fs::read_dir(path).map_err(SandboxError::file("list", path))? {
            give(&entry.map_err(SandboxError::file("list", path))?.path(), user)?;
        }
    }
    Ok(())
}

impl Drop for Workspace {
    fn drop(&mut self) {
        present().retain(|path| *path != self.path);
        // A failure is ignored: the process's end removes the mount anyway.
        let _ = rustix::mount::unmount(&self.path, rustix::mount::UnmountFlags::DETACH);
        let _ = fs::remove_dir(&self.path);
    }
}
