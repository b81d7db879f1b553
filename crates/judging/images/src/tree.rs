//! Writes below one folder, as if it were the root of the file system: no link leads out of it (openat2(2), `RESOLVE_IN_ROOT`).
//!
//! No library that is kept up writes layers within limits: this is the part of one that is about safety.

use crate::error::{PartError, bad};
use rustix::fs::{AtFlags, Mode, OFlags, ResolveFlags, Timespec, Timestamps};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

const RESOLVE: ResolveFlags = ResolveFlags::IN_ROOT.union(ResolveFlags::NO_XDEV);

pub(crate) struct Tree {
    root: OwnedFd,
    /// The folder that was last written to, since its other files come next.
    last: Option<(PathBuf, OwnedFd)>,
}

impl Tree {
    pub(crate) fn open(path: &Path) -> std::io::Result<Self> {
        let flags = OFlags::DIRECTORY | OFlags::PATH | OFlags::CLOEXEC;
        Ok(Self { root: rustix::fs::open(path, flags, Mode::empty())?, last: None })
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
            PartError::Io(why) if why.kind() != std::io::ErrorKind::StorageFull => bad(format!(
                "'{}' is a link to '{}', which is not a file of this or an earlier layer ({why})",
                path.display(),
                to.display()
            )),
            error => error,
        })
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
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
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
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
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
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    let (above, name) = split(path).ok_or(error)?;
                    let mode = Mode::RWXU | Mode::RGRP | Mode::XGRP | Mode::ROTH | Mode::XOTH;
                    rustix::fs::mkdirat(self.go_to(above)?, name, mode).or_else(|error| match error {
                        // A link that leads nowhere.
                        Errno::EXIST => Err(bad(format!("'{}' is below a link to nothing", path.display()))),
                        error => Err(error.into()),
                    })?;
                    self.open_folder(path)?
                }
                Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => {
                    return Err(bad(format!("'{}' is a file and has files below it", path.display())));
                }
                other => other?,
            };
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
pub(crate) fn inside(path: &Path, name_max: usize) -> Result<PathBuf, PartError> {
    if path.as_os_str().len() > name_max {
        return Err(bad(format!("a name has {} bytes; {name_max} at most", path.as_os_str().len())));
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

/// Compares two folders with all they have but owners; adds what differs, a few at most.
pub(crate) fn compare(expected: &Path, found: &Path, differences: &mut Vec<String>) -> std::io::Result<()> {
    compare_below(expected, found, Path::new(""), differences)
}

const DIFFERENCES_MAX: usize = 20;

fn compare_below(
    expected: &Path,
    found: &Path,
    path: &Path,
    differences: &mut Vec<String>,
) -> std::io::Result<()> {
    let names = |root: &Path| -> std::io::Result<std::collections::BTreeSet<_>> {
        std::fs::read_dir(root.join(path))?.map(|entry| Ok(entry?.file_name())).collect()
    };
    let (ours, theirs) = (names(expected)?, names(found)?);
    let mut say = |what: &str, name: &OsStr| {
        if differences.len() < DIFFERENCES_MAX {
            differences.push(format!("/{} {what}", path.join(name).display()));
        }
    };
    for name in ours.difference(&theirs) {
        say("is missing", name);
    }
    for name in theirs.difference(&ours) {
        say("is in no layer", name);
    }
    let mut folders = Vec::new();
    for name in ours.intersection(&theirs) {
        let (one, other) = (expected.join(path).join(name), found.join(path).join(name));
        let (a, b) = (one.symlink_metadata()?, other.symlink_metadata()?);
        if a.file_type() != b.file_type() {
            say("is of another kind", name);
        } else if a.permissions() != b.permissions() && !a.is_symlink() {
            say("has other permissions", name);
        } else if a.is_dir() {
            folders.push(path.join(name));
        } else if a.is_symlink() {
            if std::fs::read_link(one)? != std::fs::read_link(other)? {
                say("leads elsewhere", name);
            }
        } else if a.len() != b.len() || !same_content(&one, &other)? {
            say("has another content", name);
        } else if a.modified()? != b.modified()? {
            say("has another time", name);
        }
    }
    for folder in folders {
        compare_below(expected, found, &folder, differences)?;
    }
    Ok(())
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
