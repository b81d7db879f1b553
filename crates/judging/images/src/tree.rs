//! Writes below one folder, as if it were the root of the file system: no link leads out of it (openat2(2), `RESOLVE_IN_ROOT`).
//!
//! No library that is kept up writes layers within limits: this is the part of one that is about safety.

use crate::error::{PartError, bad};
use crate::limits::Limits;
use model::Bytes;
use rustix::fs::{AtFlags, Mode, OFlags, ResolveFlags, Timespec, Timestamps};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

const RESOLVE: ResolveFlags = ResolveFlags::IN_ROOT.union(ResolveFlags::NO_XDEV);

pub(crate) struct Tree {
    root: OwnedFd,
    limits: Limits,
    /// How deep the root itself is.
    above: usize,
    /// Folders that are made for what is in them, without an entry of their own; and the bytes of their names.
    pub(crate) implied: BTreeSet<PathBuf>,
    pub(crate) implied_names: u64,
    /// The folder that was last written to, since its other files come next.
    last: Option<(PathBuf, OwnedFd)>,
}

impl Tree {
    pub(crate) fn open(path: &Path, limits: Limits) -> std::io::Result<Self> {
        let flags = OFlags::DIRECTORY | OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let root = rustix::fs::open(path, flags, Mode::empty())?;
        let above = place_of(&root)?.components().count();
        Ok(Self { root, limits, above, implied: BTreeSet::new(), implied_names: 0, last: None })
    }

    /// Reads a file, if it is there: no more than a number of bytes, and of text.
    pub(crate) fn read(&self, path: &Path, bytes_max: u64) -> std::io::Result<Option<String>> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let opened = rustix::fs::openat2(&self.root, path, flags, Mode::empty(), RESOLVE);
        let file = match opened {
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(None),
            other => File::from(other?),
        };
        let mut bytes = Vec::new();
        if file.metadata()?.is_file() {
            file.take(bytes_max).read_to_end(&mut bytes)?;
        }
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Makes a folder, or gives the one that is there these permissions.
    pub(crate) fn folder(&mut self, path: &Path, mode: Mode) -> Result<(), PartError> {
        let Some((above, name)) = split(path) else {
            return Ok(rustix::fs::chmodat(self.root.as_fd(), ".", mode, AtFlags::empty())?);
        };
        loop {
            let above = self.go_to(above)?;
            match rustix::fs::mkdirat(above, name, mode) {
                Err(Errno::EXIST) if is_folder(above, name)? => break,
                Err(Errno::EXIST) => self.remove(path)?,
                other => {
                    other?;
                    break;
                }
            }
        }
        // The mask of this process does not count.
        let above = self.go_to(path.parent().unwrap_or(Path::new("")))?;
        Ok(rustix::fs::chmodat(above, name, mode, AtFlags::empty())?)
    }

    /// Makes an empty file, in place of what is there.
    pub(crate) fn file(&mut self, path: &Path) -> Result<File, PartError> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let made =
            self.make(path, |above, name| rustix::fs::openat(above, name, flags, Mode::RUSR | Mode::WUSR))?;
        Ok(File::from(made))
    }

    pub(crate) fn symbolic_link(&mut self, path: &Path, to: &Path) -> Result<(), PartError> {
        self.make(path, |above, name| rustix::fs::symlinkat(to, above, name))
    }

    /// Gives a file that is there a second name.
    pub(crate) fn hard_link(&mut self, path: &Path, to: &Path) -> Result<(), PartError> {
        let (above, name) =
            split(to).ok_or_else(|| bad(format!("'{}' is a link to the root", path.display())))?;
        if path == to {
            return Ok(());
        }
        let linked = self.open_folder(above).map_err(PartError::from).and_then(|target| {
            self.make(path, |above, own| rustix::fs::linkat(&target, name, above, own, AtFlags::empty()))
        });
        linked.map_err(|error| match error {
            PartError::Io(why) if why.kind() != ErrorKind::StorageFull => bad(format!(
                "'{}' is a link to '{}', which is not a file of this or an earlier layer ({why})",
                path.display(),
                to.display()
            )),
            error => error,
        })
    }

    /// Sets when a folder was changed last, if it is there and no file or link is in its place.
    pub(crate) fn set_folder_time(&self, path: &Path, seconds: u64) -> std::io::Result<()> {
        let (above, name) = split(path).unwrap_or((Path::new(""), OsStr::new(".")));
        let gone = |error: &std::io::Error| {
            matches!(Errno::from_io_error(error), Some(Errno::NOENT | Errno::NOTDIR | Errno::LOOP))
        };
        let above = match self.open_folder(above) {
            Err(error) if gone(&error) => return Ok(()),
            other => other?,
        };
        if is_folder(above.as_fd(), name).unwrap_or(false) {
            rustix::fs::utimensat(above, name, &times(seconds), AtFlags::SYMLINK_NOFOLLOW)?;
        }
        Ok(())
    }

    /// Sets when something was changed last, and does not follow a link there.
    pub(crate) fn set_time(&mut self, path: &Path, seconds: u64) -> Result<(), PartError> {
        let (above, name) = split(path).unwrap_or((Path::new(""), OsStr::new(".")));
        let above = self.go_to(above)?;
        Ok(rustix::fs::utimensat(above, name, &times(seconds), AtFlags::SYMLINK_NOFOLLOW)?)
    }

    /// Removes a file or a folder with all it has, if it is there.
    pub(crate) fn remove(&mut self, path: &Path) -> Result<(), PartError> {
        let Some((above, name)) = split(path) else { return Err(bad("it removes the root")) };
        let above = match self.open_folder(above) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(());
            }
            other => other?,
        };
        self.last = None;
        let is_folder = match is_folder(above.as_fd(), name) {
            Err(Errno::NOENT) => return Ok(()),
            other => other?,
        };
        if is_folder {
            std::fs::remove_dir_all(below(&above, name))?;
        } else {
            rustix::fs::unlinkat(&above, name, AtFlags::empty())?;
        }
        Ok(())
    }

    /// Removes all that a folder has but what is to be kept, which may be anywhere below it.
    pub(crate) fn empty(&mut self, folder: &Path, is_kept: &dyn Fn(&Path) -> bool) -> Result<(), PartError> {
        let opened = match self.open_folder(folder) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(());
            }
            other => other?,
        };
        for entry in std::fs::read_dir(below(&opened, OsStr::new("")))? {
            let entry = entry?;
            let path = folder.join(entry.file_name());
            if !is_kept(&path) {
                self.remove(&path)?;
            } else if entry.file_type()?.is_dir() {
                self.empty(&path, is_kept)?;
            }
        }
        Ok(())
    }

    fn make<T>(
        &mut self,
        path: &Path,
        mut make: impl FnMut(BorrowedFd<'_>, &OsStr) -> rustix::io::Result<T>,
    ) -> Result<T, PartError> {
        let (above, name) = split(path).ok_or_else(|| bad("its root is not a folder"))?;
        match make(self.go_to(above)?, name) {
            Err(Errno::EXIST) => {
                self.remove(path)?;
                Ok(make(self.go_to(above)?, name)?)
            }
            other => Ok(other?),
        }
    }

    /// Returns a folder, which is made with those above it if it is not there.
    fn go_to(&mut self, path: &Path) -> Result<BorrowedFd<'_>, PartError> {
        if self.last.as_ref().is_none_or(|(last, _)| last != path) {
            let opened = match self.open_folder(path) {
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    let (above, name) = split(path).ok_or(error)?;
                    let mode = Mode::RWXU | Mode::RGRP | Mode::XGRP | Mode::ROTH | Mode::XOTH;
                    rustix::fs::mkdirat(self.go_to(above)?, name, mode).map_err(|error| match error {
                        // A link that leads nowhere.
                        Errno::EXIST => bad(format!("'{}' is below a link to nothing", path.display())),
                        error => error.into(),
                    })?;
                    self.implied_names += path.as_os_str().len() as u64;
                    self.implied.insert(path.to_owned());
                    self.open_folder(path)?
                }
                Err(error) if error.kind() == ErrorKind::NotADirectory => {
                    return Err(bad(format!("'{}' is a file and has files below it", path.display())));
                }
                other => other?,
            };
            // Links can lead deeper than the path says.
            if place_of(&opened)?.components().count() > self.above + self.limits.depth {
                return Err(bad(format!(
                    "'{}' is in more than {} folders",
                    path.display(),
                    self.limits.depth
                )));
            }
            self.last = Some((path.to_owned(), opened));
        }
        let (_, opened) = self.last.as_ref().expect("it was just set");
        Ok(opened.as_fd())
    }

    fn open_folder(&self, path: &Path) -> std::io::Result<OwnedFd> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let flags = OFlags::DIRECTORY | OFlags::PATH | OFlags::CLOEXEC;
        Ok(rustix::fs::openat2(&self.root, path, flags, Mode::empty(), RESOLVE)?)
    }
}

pub(crate) fn times(seconds: u64) -> Timestamps {
    let time = Timespec { tv_sec: i64::try_from(seconds).unwrap_or(i64::MAX), tv_nsec: 0 };
    Timestamps { last_access: time, last_modification: time }
}

/// Reads a path of a layer: below the root, wherever it begins.
pub(crate) fn inside(path: &Path, limits: Limits) -> Result<PathBuf, PartError> {
    if path.as_os_str().len() > limits.name {
        return Err(bad(format!("a name has {} bytes; {} at most", path.as_os_str().len(), limits.name)));
    }
    if path.components().count() > limits.depth {
        return Err(bad(format!("a file is in more than {} folders", limits.depth)));
    }
    let mut inside = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(part) => inside.push(part),
            Component::RootDir | Component::CurDir => {}
            Component::ParentDir | Component::Prefix(_) => {
                return Err(bad(format!("'{}' leads out of the image by '..'", path.display())));
            }
        }
    }
    Ok(inside)
}

/// Returns where an open folder is.
fn place_of(folder: &OwnedFd) -> std::io::Result<PathBuf> {
    std::fs::read_link(Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string()))
}

fn split(path: &Path) -> Option<(&Path, &OsStr)> {
    Some((path.parent()?, path.file_name()?))
}

fn is_folder(above: BorrowedFd<'_>, name: &OsStr) -> rustix::io::Result<bool> {
    let found = rustix::fs::statat(above, name, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(rustix::fs::FileType::from_raw_mode(found.st_mode).is_dir())
}

/// A path for functions of the standard library, which follow no link below it.
fn below(folder: &OwnedFd, name: &OsStr) -> PathBuf {
    Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string()).join(name)
}

/// Counts the files, folders and links below a root, and the bytes of the files.
pub(crate) fn size_of(root: &Path) -> std::io::Result<(u64, Bytes)> {
    let (mut entries, mut bytes) = (0, 0);
    for entry in std::fs::read_dir(root)? {
        let entry = entry?;
        let found = entry.metadata()?;
        entries += 1;
        if found.is_dir() {
            let (below, size) = size_of(&entry.path())?;
            entries += below;
            bytes += size.0;
        } else if found.is_file() {
            bytes += found.len();
        }
    }
    Ok((entries, Bytes(bytes)))
}

const DIFFERENCES_MAX: usize = 20;

/// Compares two roots with all they have; adds what differs, a few at most.
pub(crate) fn compare(expected: &Path, found: &Path, differences: &mut Vec<String>) -> std::io::Result<()> {
    let mut folders = vec![PathBuf::new()];
    while let Some(path) = folders.pop() {
        let names = |root: &Path| -> std::io::Result<BTreeSet<_>> {
            std::fs::read_dir(root.join(&path))?.map(|entry| Ok(entry?.file_name())).collect()
        };
        let (ours, theirs) = (names(expected)?, names(found)?);
        let mut say = |what: &str, path: &Path| {
            if differences.len() < DIFFERENCES_MAX {
                differences.push(format!("/{} {what}", path.display()));
            }
        };
        if path.as_os_str().is_empty()
            && let Some(what) = difference(expected, found)?
        {
            say(what, &path);
        }
        for name in ours.difference(&theirs) {
            say("is missing", &path.join(name));
        }
        for name in theirs.difference(&ours) {
            say("is in no layer", &path.join(name));
        }
        for name in ours.intersection(&theirs) {
            let path = path.join(name);
            let (one, other) = (expected.join(&path), found.join(&path));
            if let Some(what) = difference(&one, &other)? {
                say(what, &path);
            }
            if one.symlink_metadata()?.is_dir() && other.symlink_metadata()?.is_dir() {
                folders.push(path);
            }
        }
    }
    Ok(())
}

/// Returns how a file, a folder or a link differs from another one.
fn difference(expected: &Path, found: &Path) -> std::io::Result<Option<&'static str>> {
    let (ours, theirs) = (expected.symlink_metadata()?, found.symlink_metadata()?);
    let attributes = |path: &Path| rustix::fs::llistxattr(path, &mut [0_u8; 0]).unwrap_or(0);
    let is_other = |other: bool, what: &'static str| other.then_some(what);
    let what = is_other(ours.file_type() != theirs.file_type(), "is of another kind")
        .or(is_other((ours.uid(), ours.gid()) != (theirs.uid(), theirs.gid()), "has another owner"))
        .or(is_other(ours.mode() != theirs.mode(), "has other permissions"))
        .or(is_other(attributes(expected) != attributes(found), "has other attributes"))
        .or(is_other(!ours.is_dir() && ours.nlink() != theirs.nlink(), "has another number of names"));
    if what.is_some() || ours.is_dir() {
        return Ok(what.or(is_other(ours.mtime() != theirs.mtime(), "has another time")));
    }
    if ours.is_symlink() {
        let leads_elsewhere = std::fs::read_link(expected)? != std::fs::read_link(found)?;
        return Ok(is_other(leads_elsewhere, "leads elsewhere"));
    }
    if ours.len() != theirs.len() || !same_content(expected, found)? {
        return Ok(Some("has another content"));
    }
    Ok(is_other(ours.mtime() != theirs.mtime(), "has another time"))
}

fn same_content(one: &Path, other: &Path) -> std::io::Result<bool> {
    let (mut one, mut other) = (File::open(one)?, File::open(other)?);
    let (mut a, mut b) = (vec![0; 64 << 10], vec![0; 64 << 10]);
    loop {
        let length = one.read(&mut a)?;
        if length == 0 {
            return Ok(other.read(&mut b[..1])? == 0);
        }
        if other.read_exact(&mut b[..length]).is_err() || a[..length] != b[..length] {
            return Ok(false);
        }
    }
}
