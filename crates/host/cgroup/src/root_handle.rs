//! The true root of a hierarchy, also in a cgroup namespace, whose root is a group below it.

#![allow(unsafe_code)]

use nix::libc;
use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// `FILEID_KERNFS` of the kernel's `include/linux/exportfs.h`: the handle is a node's number (Linux 5.5).
const KERNFS_HANDLE: i32 = 0xfe;
/// The number of every hierarchy's root.
const ROOT_NUMBER: u64 = 1;

/// `struct file_handle` of open_by_handle_at(2) with a number as its handle.
#[repr(C, packed)]
struct Handle {
    bytes: u32,
    kind: i32,
    number: u64,
}

/// Opens the root of the hierarchy in which `folder` is; `None` without CAP_DAC_READ_SEARCH, or where the kernel has no
/// such handles.
pub fn open_true_root(folder: &File) -> Option<File> {
    let mut handle = Handle { bytes: size_of::<u64>() as u32, kind: KERNFS_HANDLE, number: ROOT_NUMBER };
    let flags = libc::O_RDONLY | libc::O_DIRECTORY | libc::O_CLOEXEC;
    // SAFETY: the kernel reads the handle, whose length is in it, and writes nothing of it.
    let opened = unsafe { libc::open_by_handle_at(folder.as_raw_fd(), (&raw mut handle).cast(), flags) };
    // SAFETY: a descriptor that the kernel returned just now, and that nothing else owns.
    (opened >= 0).then(|| unsafe { OwnedFd::from_raw_fd(opened) }.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Layout;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn from_any_group_the_root_is_found() {
        let Some((root, _)) = Layout::detect().unwrap().unified else {
            return println!("skipped: no cgroup2 is mounted");
        };
        let group = root.join(format!("tauto-handle-{}", std::process::id()));
        if let Err(error) = std::fs::create_dir(&group) {
            return println!("skipped: {}: {error}", group.display());
        }
        let found = open_true_root(&File::open(&group).unwrap());
        std::fs::remove_dir(&group).unwrap();
        let Some(found) = found else { return println!("skipped: not permitted here") };
        let (found, group) = (found.metadata().unwrap(), std::fs::metadata(&root).unwrap());
        assert_eq!((found.ino(), found.dev()), (1, group.dev()));
    }

    #[test]
    fn a_folder_of_another_file_system_has_no_such_root() {
        let folder = tempfile::tempdir().unwrap();
        assert!(open_true_root(&File::open(folder.path()).unwrap()).is_none());
    }
}
