//! System calls that no library wraps as they are needed here.

#![allow(unsafe_code)]

use rustix::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use rustix::fs::{MemfdFlags, OFlags};
use rustix::io::Errno;
use rustix::thread::{CapabilitySet, CapabilitySets};
use std::ffi::CString;
use std::io;
use std::path::Path;
use std::ptr::NonNull;

pub fn check(rc: impl Into<i64>) -> io::Result<i64> {
    match rc.into() {
        -1 => Err(io::Error::last_os_error()),
        value => Ok(value),
    }
}

/// Makes a C string; a NUL inside is an invalid argument.
pub fn c_string(text: &str) -> io::Result<CString> {
    CString::new(text).map_err(|_| io::Error::from_raw_os_error(libc::EINVAL))
}

/// The arguments of clone3(2), as of Linux 5.7.
#[repr(C)]
#[derive(Default)]
struct CloneArguments {
    flags: u64,
    pidfd: u64,
    child_tid: u64,
    parent_tid: u64,
    exit_signal: u64,
    stack: u64,
    stack_size: u64,
    tls: u64,
    set_tid: u64,
    set_tid_size: u64,
    cgroup: u64,
}

/// From linux/sched.h; libc's constant is too small.
const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;

/// Which process continues after [`clone`].
pub enum Cloned {
    Child,
    Parent { pid: i32, pidfd: OwnedFd },
}

/// Clones this process like fork(2), with namespaces, directly into a control group.
///
/// Must be called from a process with one thread: the child is a copy of the calling thread only.
pub fn clone(namespaces: i32, cgroup: Option<BorrowedFd<'_>>) -> io::Result<Cloned> {
    clone_as(0, namespaces, cgroup)
}

/// As [`clone`], with a number of the caller's choice in its PID namespace; 0 is none.
pub fn clone_as(number: i32, namespaces: i32, cgroup: Option<BorrowedFd<'_>>) -> io::Result<Cloned> {
    let mut pidfd: i32 = -1;
    let mut flags = namespaces as u32 as u64 | libc::CLONE_PIDFD as u64;
    if cgroup.is_some() {
        flags |= CLONE_INTO_CGROUP;
    }
    let arguments = CloneArguments {
        flags,
        pidfd: (&raw mut pidfd) as u64,
        exit_signal: libc::SIGCHLD as u64,
        set_tid: if number > 0 { (&raw const number) as u64 } else { 0 },
        set_tid_size: u64::from(number > 0),
        cgroup: cgroup.map_or(0, |fd| fd.as_raw_fd() as u64),
        ..CloneArguments::default()
    };
    // SAFETY: without CLONE_VM the child gets its own copy of memory and continues like after fork;
    // the arguments live on this stack through the call.
    let pid = unsafe {
        libc::syscall(libc::SYS_clone3, &raw const arguments, std::mem::size_of::<CloneArguments>())
    };
    match check(pid)? {
        0 => Ok(Cloned::Child),
        // SAFETY: the kernel has just made this descriptor for this process.
        pid => Ok(Cloned::Parent { pid: pid as i32, pidfd: unsafe { OwnedFd::from_raw_fd(pidfd) } }),
    }
}

pub fn check_single_thread() -> io::Result<()> {
    // unshare(2): this has no effect except EINVAL if there are more.
    // SAFETY: plain values only, and nothing is shared that could be taken away.
    check(unsafe { libc::unshare(libc::CLONE_VM) })?;
    Ok(())
}

/// How a detached mount may be used, and what it includes.
#[derive(Clone, Copy, Debug, Default)]
pub struct MountUse {
    /// It may be written.
    pub writable: bool,
    /// Devices on it work.
    pub devices: bool,
    /// It includes the mounts below it.
    pub with_mounts_below: bool,
}

/// Makes a detached copy of the mount at `path`, always without setuid.
pub fn detached_mount(path: &Path, usage: MountUse) -> io::Result<OwnedFd> {
    use rustix::mount::OpenTreeFlags;
    let mut flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC;
    if usage.with_mounts_below {
        flags |= OpenTreeFlags::AT_RECURSIVE;
    }
    let mount = rustix::mount::open_tree(rustix::fs::CWD, path, flags)?;
    let mut attributes = libc::MOUNT_ATTR_NOSUID;
    if !usage.writable {
        attributes |= libc::MOUNT_ATTR_RDONLY;
    }
    if !usage.devices {
        attributes |= libc::MOUNT_ATTR_NODEV;
    }
    let attributes =
        libc::mount_attr { attr_set: attributes, attr_clr: 0, propagation: libc::MS_PRIVATE, userns_fd: 0 };
    // SAFETY: the attributes live through the call and their true size is given.
    let rc = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            mount.as_raw_fd(),
            c"".as_ptr(),
            libc::AT_EMPTY_PATH | libc::AT_RECURSIVE,
            &raw const attributes,
            std::mem::size_of::<libc::mount_attr>(),
        )
    };
    check(rc)?;
    Ok(mount)
}

/// Attaches a detached mount at a path of this mount namespace.
pub fn attach_mount(mount: impl AsFd, target: &str) -> io::Result<()> {
    use rustix::mount::MoveMountFlags;
    rustix::mount::move_mount(mount, "", rustix::fs::CWD, target, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?;
    Ok(())
}

pub fn drop_all_capabilities() -> io::Result<()> {
    keep_capabilities(CapabilitySet::empty())
}

/// Drops every capability that is not in `keep`; the bounding set shrinks too.
pub fn keep_capabilities(keep: CapabilitySet) -> io::Result<()> {
    let all = (0..u64::BITS).map(|bit| CapabilitySet::from_bits_retain(1 << bit));
    for capability in all.filter(|capability| !keep.contains(*capability)) {
        match rustix::thread::remove_capability_from_bounding_set(capability) {
            // prctl(2): an unknown capability yields EINVAL, which is how the last one is found. Without CAP_SETPCAP
            // the bounding set stays; no_new_privs makes it ineffective.
            Err(Errno::INVAL | Errno::PERM) => break,
            other => other?,
        }
    }
    // A set can only shrink, so only capabilities that are held now are requested.
    let kept = rustix::thread::capabilities(None)?.permitted.intersection(keep);
    let sets = CapabilitySets { effective: kept, permitted: kept, inheritable: CapabilitySet::empty() };
    Ok(rustix::thread::set_capabilities(None, sets)?)
}

/// Opens a file below a folder.
pub fn open_at(folder: &OwnedFd, name: &str, access: OFlags) -> io::Result<std::fs::File> {
    let file = rustix::fs::openat(folder, name, access | OFlags::CLOEXEC, rustix::fs::Mode::empty())?;
    Ok(file.into())
}

/// The time of change of all files that are not made for a run: 1 January 2000. Tools for archives cannot write 1970.
const FILE_TIME_SECONDS: i64 = 946_684_800;

/// Gives a file, or a link itself, the same times as all others; only the time of its last change of status becomes now.
///
/// So when this was just done, the times do not reveal to a program how old the file is.
pub fn set_times(folder: impl AsFd, path: impl rustix::path::Arg) -> io::Result<()> {
    let time = rustix::fs::Timespec { tv_sec: FILE_TIME_SECONDS, tv_nsec: 0 };
    let times = rustix::fs::Timestamps { last_access: time, last_modification: time };
    Ok(rustix::fs::utimensat(folder, path, &times, rustix::fs::AtFlags::SYMLINK_NOFOLLOW)?)
}

pub fn clock_ns(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel fills the structure; the clocks used here exist on every Linux.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// A page shared by this process, the children it clones, and processes to which its file is sent.
#[derive(Debug)]
pub struct SharedPage<T: Shareable> {
    value: NonNull<T>,
}

/// A type whose values are shared: all bytes are valid values, it has no pointers, and it changes by atomic operations.
///
/// # Safety
/// The implementor vouches for that.
pub unsafe trait Shareable: Sync {}

// SAFETY: the value is only reachable by shared references, and is Sync.
unsafe impl<T: Shareable> Send for SharedPage<T> {}
// SAFETY: as above.
unsafe impl<T: Shareable> Sync for SharedPage<T> {}

impl<T: Shareable> SharedPage<T> {
    /// Maps new memory; all its bytes are zero.
    pub fn new() -> io::Result<Self> {
        Self::map(libc::MAP_SHARED | libc::MAP_ANONYMOUS, -1)
    }

    /// Maps new memory and returns its file, which another process can map.
    pub fn with_file() -> io::Result<(Self, OwnedFd)> {
        let file = rustix::fs::memfd_create("tauto-page", MemfdFlags::CLOEXEC)?;
        rustix::fs::ftruncate(&file, std::mem::size_of::<T>() as u64)?;
        Ok((Self::of(&file)?, file))
    }

    /// Maps the memory of such a file.
    pub fn of(file: &OwnedFd) -> io::Result<Self> {
        // Memory beyond the file's end would be deadly to touch.
        if rustix::fs::fstat(file)?.st_size < std::mem::size_of::<T>() as i64 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Self::map(libc::MAP_SHARED, file.as_raw_fd())
    }

    fn map(flags: i32, file: i32) -> io::Result<Self> {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping, large enough and aligned for T, for which all its bytes are valid.
        let address =
            unsafe { libc::mmap(std::ptr::null_mut(), std::mem::size_of::<T>(), access, flags, file, 0) };
        match NonNull::new(address.cast::<T>()) {
            Some(value) if address != libc::MAP_FAILED => Ok(Self { value }),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

impl<T: Shareable> Drop for SharedPage<T> {
    fn drop(&mut self) {
        // SAFETY: mapped by this value, whose borrows have ended.
        unsafe { libc::munmap(self.value.as_ptr().cast(), std::mem::size_of::<T>()) };
    }
}

impl<T: Shareable> std::ops::Deref for SharedPage<T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: mapped until this is dropped.
        unsafe { self.value.as_ref() }
    }
}

/// Unblocks all signals and lets children be waited for, whatever the parent did: service managers and daemons block
/// signals and ignore SIGCHLD, and both survive exec. Other ignored signals stay so, as nohup(1) has it.
pub fn accept_signals() -> io::Result<()> {
    // SAFETY: SIG_DFL needs no handler.
    if unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) } == libc::SIG_ERR {
        return Err(io::Error::last_os_error());
    }
    unblock_signals()
}

/// Sets every signal to its default action and unblocks all: both settings survive exec.
pub fn reset_signals() -> io::Result<()> {
    // SAFETY: SIG_DFL needs no handler. The C library reserves some real-time signals and rejects them; those cannot have
    // been changed.
    unsafe {
        for signal in 1..=libc::SIGRTMAX() {
            if signal != libc::SIGKILL && signal != libc::SIGSTOP {
                libc::signal(signal, libc::SIG_DFL);
            }
        }
    }
    unblock_signals()
}

fn unblock_signals() -> io::Result<()> {
    // SAFETY: an emptied set is valid.
    unsafe {
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        check(libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut()))?;
    }
    Ok(())
}
