//! Roots of images as one file each, with its digest in a file next to it.

use super::{InUse, ROOTS, Store, lock, names, remove};
use crate::digest::{Digest, Hashing};
use crate::error::{ImageError, io};
use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Seek};
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

const DISKS: &str = "disks";
/// In that folder.
const LOCK: &str = "lock";
/// How the line of a note begins that has the digest by which the kernel checks the file.
const SEAL: &str = "fs-verity sha256:";

/// Returns whether a disk has the content that was noted.
fn is_as_noted(note: &str, file: File) -> io::Result<bool> {
    let mut lines = note.lines();
    let digest = lines.next().and_then(Digest::parse);
    let seal = lines.next().and_then(|line| line.strip_prefix(SEAL));
    if seal.is_some() && disk::sealed(&file).as_deref() == seal {
        return Ok(true);
    }
    let mut file = Hashing::new(file);
    io::copy(&mut file, &mut io::sink())?;
    Ok(digest == Some(file.finish().0))
}

impl Store {
    /// Returns the root of an image as one file, which is made where there is none, after `is_made` was called. It is compared with its
    /// digest each time: by the kernel whenever it is read, where that has fs-verity, else here.
    pub fn disk(
        &self,
        image: &InUse,
        is_made: impl FnOnce(),
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<PathBuf, ImageError> {
        let folder = self.folder.join(DISKS);
        fs::create_dir_all(&folder).map_err(io("cannot make the folder", &folder))?;
        let path = folder.join(image.image.digest.hex());
        let note = path.with_extension("digest");
        // Not the store's lock, which an import holds for as long as a registry takes.
        let _lock = lock(&folder.join(LOCK), is_stopped)?;
        if let (Ok(expected), Ok(file)) = (fs::read_to_string(&note), File::open(&path)) {
            let is_right = is_as_noted(&expected, file).map_err(io("cannot read", &path))?;
            if is_right {
                return Ok(path);
            }
            // It is damaged, and is made again of the root.
        }
        is_made();
        let made = || -> io::Result<()> {
            // Without a name until it is complete, so that nothing is left of one that is not.
            let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
            let file = File::from(rustix::fs::open(&folder, flags, Mode::RUSR | Mode::WUSR)?);
            disk::write(&image.root, &file, is_stopped)?;
            (&file).rewind()?;
            let mut content = Hashing::new(&file);
            io::copy(&mut content, &mut io::sink())?;
            let (digest, _) = content.finish();
            // The hypervisor is another user.
            file.set_permissions(fs::Permissions::from_mode(0o444))?;
            file.sync_all()?;
            match fs::remove_file(&path) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            let opened = format!("/proc/self/fd/{}", file.as_raw_fd());
            rustix::fs::linkat(CWD, opened, CWD, &path, AtFlags::SYMLINK_FOLLOW)?;
            // What is sealed must not be open for writing.
            drop(file);
            let file = File::open(&path)?;
            let seal = disk::seal(&file).ok().and_then(|()| disk::sealed(&file));
            let seal = seal.map_or_else(String::new, |digest| format!("{SEAL}{digest}\n"));
            fs::write(&note, format!("{digest}\n{seal}"))
        };
        made().map_err(|error| match is_stopped() {
            true => ImageError::Stopped,
            false => io("cannot write the disk", &path)(error),
        })?;
        Ok(path)
    }

    /// Removes the disks of roots that are gone, the digest first: a file without one is made again.
    pub(super) fn prune_disks(&self) -> Result<(), ImageError> {
        let folder = self.folder.join(DISKS);
        let mut gone: Vec<PathBuf> =
            names(&folder).unwrap_or_default().iter().map(|name| folder.join(name)).collect();
        gone.retain(|path| !path.ends_with(LOCK));
        gone.retain(|path| !self.folder.join(ROOTS).join(path.file_stem().unwrap_or_default()).exists());
        gone.sort_by_key(|path| path.extension().is_none());
        gone.iter().try_for_each(|path| remove(path).map_err(io("cannot remove", path)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_sealed_is_compared_with_its_digest() {
        let content = || {
            let mut file = tempfile::tempfile().unwrap();
            io::Write::write_all(&mut file, b"disk").unwrap();
            io::Seek::rewind(&mut file).unwrap();
            file
        };
        let (right, wrong) = (Digest::of(b"disk"), Digest::of(b"other"));
        // Such as after a copy to another file system.
        let seal = format!("{SEAL}{}", right.hex());
        assert!(is_as_noted(&format!("{right}\n"), content()).unwrap());
        assert!(is_as_noted(&format!("{right}\n{seal}\n"), content()).unwrap());
        assert!(!is_as_noted(&format!("{wrong}\n{seal}\n"), content()).unwrap());
        assert!(!is_as_noted("", content()).unwrap());
    }
}
