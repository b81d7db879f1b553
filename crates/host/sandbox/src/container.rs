//! Builds the container of runs, from the inside.

#![allow(unsafe_code)]

use crate::child::{Container, ContainerFiles, User};
use crate::in_flight::InFlight;
use crate::launcher::{StepResult, at};
use crate::protocol::{self, Furnishing, RootEntry, Setup, Step};
use crate::request::OPEN_FILES;
use crate::sys::{self, MountUse, check};
use crate::user_namespace;
use rustix::fd::OwnedFd;
use rustix::mount::{MountFlags, MountPropagationFlags};
use std::collections::BTreeMap;
use std::ffi::CString;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;

/// A new root that is not yet this process's.
pub struct Built {
    host_proc: OwnedFd,
    setup: Setup,
}

/// Leaves the host for new namespaces, and builds a new root as the supervisor's first message specifies; `None` if the
/// supervisor is gone.
pub fn build(socket: &OwnedFd, buffer: &mut Vec<u8>) -> StepResult<Option<Built>> {
    // All users can read the content of the root, whatever the caller's umask is.
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
    // A new session: a terminal's Ctrl-C reaches the supervisor, which then ends this process properly.
    rustix::process::setsid().map_err(at(Step::Request))?;
    // A run raises its own out-of-memory score there, when the host's /proc is no longer mounted.
    let host_proc: OwnedFd = fs::File::open("/proc").map_err(at(Step::Root))?.into();
    let namespaces = libc::CLONE_NEWNS | libc::CLONE_NEWNET | libc::CLONE_NEWUTS | libc::CLONE_NEWIPC;
    // SAFETY: this process has one thread, which is all that unshare needs.
    check(unsafe { libc::unshare(namespaces) }).map_err(at(Step::Namespaces))?;
    rustix::system::sethostname(b"sandbox").map_err(at(Step::Namespaces))?;
    let Some((setup, _)) = protocol::receive::<Setup>(socket, buffer).map_err(at(Step::Request))? else {
        return Ok(None);
    };
    build_root(&setup).map_err(at(Step::Root))?;
    Ok(Some(Built { host_proc, setup }))
}

/// Receives the users, makes their namespaces, sends what keeps their runs from sending, and enters the new root; then
/// receives what else belongs to the container. Returns the control groups to enter with it, or `None` if the supervisor
/// is gone.
pub fn furnish(
    socket: &OwnedFd,
    buffer: &mut Vec<u8>,
    Built { host_proc, setup }: Built,
) -> StepResult<Option<(Container, Vec<OwnedFd>)>> {
    let (mut users, mut in_flight, mut made) = (BTreeMap::new(), InFlight::default(), None);
    while let Some((message, fds)) = protocol::receive(socket, buffer).map_err(at(Step::Request))? {
        match message {
            Furnishing::Users(of_roles) => {
                (users, in_flight) = (BTreeMap::new(), InFlight::default());
                for (role, host) in of_roles {
                    in_flight.exceed(role, host, &[(libc::RLIMIT_NOFILE, u64::from(OPEN_FILES))])?;
                    let namespace =
                        user_namespace::make(&host_proc, host).map_err(at(Step::UserNamespace))?;
                    users.insert(role, User { host, namespace });
                }
                // As late as possible: the kernel takes the old mounts away when all CPUs have seen it, and the supervisor
                // is still busy on one.
                if made.is_none() {
                    let root = pivot(&setup.mount_point).map_err(at(Step::PivotRoot))?;
                    let paths = made_paths(&setup.root).map_err(at(Step::Root))?;
                    made = Some(ContainerFiles { root, paths });
                }
            }
            Furnishing::Belongings { groups } => {
                let Some(made) = made.filter(|_| fds.len() >= groups as usize) else {
                    return Err((Step::Request, io::Error::from_raw_os_error(libc::EINVAL)));
                };
                let mut fds = fds.into_iter();
                let groups = fds.by_ref().take(groups as usize).collect();
                let _claims = fds.collect();
                let container =
                    Container { users, host_proc, made, in_flight, numbers_moved: false, _claims };
                return Ok(Some((container, groups)));
            }
        }
    }
    Ok(None)
}

/// Enters the control groups. What a process has before is not charged to them.
pub fn enter(groups: Vec<OwnedFd>) -> StepResult<()> {
    for group in groups {
        rustix::io::write(&group, b"0").map_err(at(Step::ControlGroups))?;
    }
    Ok(())
}

fn build_root(setup: &Setup) -> io::Result<()> {
    rustix::mount::mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    let base = setup.mount_point.as_str();
    rustix::mount::mount("root", base, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, c"mode=755,size=4m")?;
    for entry in &setup.root {
        match entry {
            RootEntry::Directory { path } => make_directory(&format!("{base}{path}"))?,
            RootEntry::BindDirectory { source, path } => {
                let target = format!("{base}{path}");
                make_directory(&target)?;
                bind(source, &target, false)?;
            }
            RootEntry::BindFile { source, path } => {
                let target = format!("{base}{path}");
                make_file(&target)?;
                bind(source, &target, false)?;
            }
            RootEntry::Device { source, path } => {
                let target = format!("{base}{path}");
                make_file(&target)?;
                // A device can be written even if its node is read-only.
                bind(source, &target, true)?;
            }
            RootEntry::Link { path, to } => symlink(to, format!("{base}{path}"))?,
            RootEntry::File { path, content } => fs::write(format!("{base}{path}"), content)?,
        }
    }
    Ok(())
}

fn make_directory(path: &str) -> io::Result<()> {
    match fs::create_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        other => other,
    }
}

/// Makes an empty file as a mount point, in one system call.
fn make_file(path: &str) -> io::Result<()> {
    let (kind, mode) = (rustix::fs::FileType::RegularFile, rustix::fs::Mode::from_raw_mode(0o444));
    Ok(rustix::fs::mknodat(rustix::fs::CWD, path, kind, mode, 0)?)
}

fn bind(source: &str, target: &str, device: bool) -> io::Result<()> {
    let mount = sys::detached_mount(
        Path::new(source),
        MountUse { devices: device, with_mounts_below: true, ..Default::default() },
    )?;
    sys::attach_mount(mount, target)
}

/// Lists what the root has apart from mounts, and the root itself.
fn made_paths(entries: &[RootEntry]) -> io::Result<Vec<CString>> {
    let made = entries.iter().filter_map(|entry| match entry {
        RootEntry::Directory { path } | RootEntry::Link { path, .. } | RootEntry::File { path, .. } => {
            Some(path.trim_start_matches('/'))
        }
        RootEntry::BindDirectory { .. } | RootEntry::BindFile { .. } | RootEntry::Device { .. } => None,
    });
    std::iter::once(".").chain(made).map(sys::c_string).collect()
}

/// Makes `new_root` the root and removes the old one completely. Returns the new one, which the launcher can change.
fn pivot(new_root: &str) -> io::Result<OwnedFd> {
    rustix::process::chdir(new_root)?;
    // pivot_root(2): with "." for both, the old root is stacked on the new one and then unmounted.
    rustix::process::pivot_root(".", ".")?;
    rustix::mount::unmount(".", rustix::mount::UnmountFlags::DETACH)?;
    rustix::process::chdir("/")?;
    let writable = sys::detached_mount(Path::new("/"), MountUse { writable: true, ..Default::default() })?;
    rustix::mount::mount_remount(
        "/",
        MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV | MountFlags::BIND,
        c"",
    )?;
    Ok(writable)
}
