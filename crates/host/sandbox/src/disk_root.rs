//! Roots of file systems that are one file each, mounted read-only.

#![allow(unsafe_code)]

use crate::SandboxError;
use crate::sys::check;
use crate::workspace::own_folder;
use cgroup::own_memory_limit;
use linux_raw_sys::loop_device::{
    LO_FLAGS_AUTOCLEAR, LO_FLAGS_READ_ONLY, LOOP_CONFIGURE, LOOP_CTL_GET_FREE, loop_config,
};
use model::Bytes;
use rustix::mm::{MapFlags, ProtFlags, mlock, mmap, munmap};
use rustix::mount::MountFlags;
use std::ffi::c_void;
use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::ptr::null_mut;

const LOOP_CONTROL: &str = "/dev/loop-control";
/// How often another process may be faster in taking a loop device.
const TRIES: usize = 100;
/// A disk is at most this part of the memory that this process may have: runs need the rest.
const MEMORY_SHARE: u64 = 4;

/// A disk (a squashfs) among this process's own mounts, read-only: it is gone with its owner, or with the process, even if that is
/// killed.
///
/// What is read of it is cached for this mount alone, and it stays in memory as long as this lives: no read of it waits for anything,
/// whatever was read before.
#[derive(Debug)]
pub struct DiskRoot {
    path: PathBuf,
    _pages: Pages,
}

impl DiskRoot {
    /// Mounts a disk.
    ///
    /// # Errors
    /// If this machine has no loop devices, no squashfs, or less than four times as much memory; [`enter_private_mounts`](crate::enter_private_mounts) must have been called
    /// before.
    pub fn mount(disk: &Path) -> Result<Self, SandboxError> {
        let file = File::open(disk).map_err(SandboxError::file("open", disk))?;
        let pages = Pages::of(&file).map_err(SandboxError::file("keep in memory", disk))?;
        let (device, name) = attach(&file)?;
        let path = own_folder()?;
        let flags = MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
        let mounted = rustix::mount::mount(&name, &path, "squashfs", flags, None);
        // From here on the mount alone keeps the device, which is free again after it.
        drop(device);
        if let Err(error) = mounted {
            // An empty folder among our own mounts, if it stays.
            let _ = fs::remove_dir(&path);
            return Err(SandboxError::file("mount", disk)(error.into()));
        }
        Ok(Self { path, _pages: pages })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for DiskRoot {
    fn drop(&mut self) {
        // A failure is ignored: the process's end removes the mount anyway.
        let _ = rustix::mount::unmount(&self.path, rustix::mount::UnmountFlags::DETACH);
        let _ = fs::remove_dir(&self.path);
    }
}

/// Makes a loop device of a file, read-only, which is free again as soon as nothing has it open; see loop(4).
fn attach(file: &File) -> Result<(File, String), SandboxError> {
    let control = File::open(LOOP_CONTROL).map_err(SandboxError::file("open", LOOP_CONTROL))?;
    // SAFETY: all of it is numbers, of which 0 stands for what is not set.
    let mut config: loop_config = unsafe { std::mem::zeroed() };
    config.fd = file.as_raw_fd().cast_unsigned();
    config.info.lo_flags = LO_FLAGS_READ_ONLY as u32 | LO_FLAGS_AUTOCLEAR as u32;
    for _ in 0..TRIES {
        // SAFETY: it has no argument.
        let number = check(unsafe { libc::ioctl(control.as_raw_fd(), u64::from(LOOP_CTL_GET_FREE)) })
            .map_err(SandboxError::file("get a loop device from", LOOP_CONTROL))?;
        let name = format!("/dev/loop{number}");
        let device = File::open(&name).map_err(SandboxError::file("open", &name))?;
        // SAFETY: the kernel reads a value of this type, which lives until then.
        let set =
            check(unsafe { libc::ioctl(device.as_raw_fd(), u64::from(LOOP_CONFIGURE), &raw const config) });
        match set {
            Ok(_) => return Ok((device, name)),
            // Another process has taken it meanwhile.
            Err(error) if error.raw_os_error() == Some(libc::EBUSY) => {}
            Err(error) => return Err(SandboxError::file("set up", name)(error)),
        }
    }
    Err(SandboxError::file("get a loop device from", LOOP_CONTROL)(io::ErrorKind::ResourceBusy.into()))
}

/// A file's pages, held in memory.
#[derive(Debug)]
struct Pages {
    start: *mut c_void,
    length: usize,
}

// SAFETY: nothing reads or writes through the pointer; it only names the mapping.
unsafe impl Send for Pages {}
// SAFETY: see above.
unsafe impl Sync for Pages {}

impl Pages {
    fn of(file: &File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        let info = rustix::system::sysinfo();
        let memory = Bytes(info.totalram.saturating_mul(info.mem_unit.into()));
        let memory = own_memory_limit().map_or(memory, |limit| limit.min(memory));
        if length > memory.0 / MEMORY_SHARE {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        let length = usize::try_from(length).map_err(io::Error::other)?;
        // SAFETY: a new mapping at an address that the kernel chooses.
        let start = unsafe { mmap(null_mut(), length, ProtFlags::READ, MapFlags::SHARED, file, 0) }?;
        let pages = Self { start, length };
        // SAFETY: the mapping is there, and only its pages are read in.
        unsafe { mlock(start, length) }?;
        Ok(pages)
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and no reference to it exists.
        let _ = unsafe { munmap(self.start, self.length) };
    }
}
