//! Roots of images as one file each, with its digest in a file next to it.

use super::{InUse, PARTIAL, ROOTS, Store, names, remove};
use crate::digest::{Digest, Hashing};
use crate::error::{ImageError, io};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

const DISKS: &str = "disks";

impl Store {
    /// Returns the root of an image as one file, which is made by `write` where there is none. It is compared with its digest each
    /// time.
    pub fn disk(
        &self,
        image: &InUse,
        write: impl FnOnce(&Path, &File) -> io::Result<()>,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<PathBuf, ImageError> {
        let _lock = self.lock(is_stopped)?;
        let folder = self.folder.join(DISKS);
        fs::create_dir_all(&folder).map_err(io("cannot make the folder", &folder))?;
        let path = folder.join(image.image.digest.hex());
        let note = path.with_extension("digest");
        if let (Ok(expected), Ok(file)) = (fs::read_to_string(&note), File::open(&path)) {
            let mut file = Hashing::new(file);
            io::copy(&mut file, &mut io::sink()).map_err(io("cannot read", &path))?;
            let (found, _) = file.finish();
            if Digest::parse(expected.trim_end()) == Some(found) {
                return Ok(path);
            }
            // It is damaged, and is made again of the root.
        }
        let made = tempfile::Builder::new().tempfile_in(self.folder.join(PARTIAL));
        let made = made.map_err(io("cannot make a file in", &self.folder))?;
        write(&image.root, made.as_file()).map_err(io("cannot write the disk of", &image.root))?;
        let done = || -> io::Result<()> {
            let mut file = Hashing::new(File::open(made.path())?);
            io::copy(&mut file, &mut io::sink())?;
            let (digest, _) = file.finish();
            // The hypervisor is another user.
            made.as_file().set_permissions(fs::Permissions::from_mode(0o444))?;
            made.as_file().sync_all()?;
            fs::rename(made.path(), &path)?;
            fs::write(&note, format!("{digest}\n"))
        };
        done().map_err(io("cannot keep", &path))?;
        Ok(path)
    }

    /// Removes the disks of roots that are gone, the digest first: a file without one is made again.
    pub(super) fn prune_disks(&self) -> Result<(), ImageError> {
        let folder = self.folder.join(DISKS);
        let mut gone: Vec<PathBuf> =
            names(&folder).unwrap_or_default().iter().map(|name| folder.join(name)).collect();
        gone.retain(|path| !self.folder.join(ROOTS).join(path.file_stem().unwrap_or_default()).exists());
        gone.sort_by_key(|path| path.extension().is_none());
        gone.iter().try_for_each(|path| remove(path).map_err(io("cannot remove", path)))
    }
}
