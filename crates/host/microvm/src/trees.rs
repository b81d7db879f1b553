//! Folders and files as streams, from the host to a guest and back.

use crate::wire::{Frames, Kind, Pieces, TreeTerms, invalid, send};
use model::Bytes;
use rustix::fs::{AtFlags, Mode, OFlags, ResolveFlags};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path};
use tar::{Builder, EntryType, Header};
use walkdir::WalkDir;

/// The name of what is a file and not a folder.
pub const FILE: &str = "file";
/// What a file needs in a file system in memory, besides its content in whole pages.
const ENTRY_BYTES: u64 = 4096;

/// Returns what a folder or a file needs elsewhere.
pub fn measure(path: &Path, writable: bool) -> io::Result<TreeTerms> {
    let mut terms = TreeTerms { is_folder: path.is_dir(), bytes: Bytes(0), files: 0, writable };
    for entry in WalkDir::new(path) {
        let found = entry.map_err(io::Error::from)?.metadata().map_err(io::Error::from)?;
        let content = if found.is_file() { found.len().next_multiple_of(ENTRY_BYTES) } else { 0 };
        terms.bytes.0 = terms.bytes.0.saturating_add(content + ENTRY_BYTES);
        terms.files = terms.files.saturating_add(1);
    }
    if writable {
        // As much as the file system has on which it is.
        let volume = rustix::fs::statvfs(path)?;
        terms.bytes = Bytes(volume.f_blocks.saturating_mul(volume.f_frsize));
        terms.files = u32::try_from(volume.f_files).unwrap_or(u32::MAX);
    }
    Ok(terms)
}

/// Sends what is at a path.
pub fn send_tree(path: &Path, to: &mut impl Write) -> io::Result<()> {
    let mut archive = Builder::new(Frames { to, kind: Kind::Tree });
    if path.is_dir() {
        for entry in WalkDir::new(path).min_depth(1).sort_by_file_name() {
            let entry = entry.map_err(io::Error::from)?;
            let name = entry.path().strip_prefix(path).map_err(io::Error::other)?;
            add(&mut archive, entry.path(), name)?;
        }
    } else {
        add(&mut archive, path, Path::new(FILE))?;
    }
    let to = archive.into_inner()?.to;
    send(to, Kind::Tree, &[])
}

fn add(archive: &mut Builder<impl Write>, path: &Path, name: &Path) -> io::Result<()> {
    let found = path.symlink_metadata()?;
    let mut header = Header::new_gnu();
    header.set_mode(found.permissions().mode() & 0o777);
    header.set_size(0);
    if found.is_symlink() {
        header.set_entry_type(EntryType::Symlink);
        archive.append_link(&mut header, name, fs::read_link(path)?)
    } else if found.is_dir() {
        header.set_entry_type(EntryType::Directory);
        archive.append_data(&mut header, name, io::empty())
    } else if found.is_file() {
        header.set_entry_type(EntryType::Regular);
        header.set_size(found.len());
        // A file that grows meanwhile is cut.
        archive.append_data(&mut header, name, File::open(path)?.take(found.len()))
    } else {
        Err(invalid(&format!("{} is neither a file, a folder nor a link", path.display())))
    }
}

/// Receives what was sent, into an empty folder. Nothing of it leads out of there, even if a run has taken over the guest that sent it.
pub fn receive_tree<R: Read>(mut pieces: Pieces<'_, R>, folder: &Path) -> io::Result<()> {
    let flags = OFlags::DIRECTORY | OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let root = rustix::fs::open(folder, flags, Mode::empty())?;
    for entry in tar::Archive::new(&mut pieces).entries()? {
        let mut entry = entry?;
        let path = entry.path()?.into_owned();
        let plain = path.components().all(|part| matches!(part, Component::Normal(_)));
        let Some(name) = path.file_name().filter(|_| plain) else {
            return Err(invalid("a name that leads elsewhere"));
        };
        let above = open_folder(&root, path.parent().unwrap_or(Path::new("")))?;
        let mode = Mode::from_raw_mode(entry.header().mode()? & 0o777);
        match entry.header().entry_type() {
            EntryType::Directory => {
                rustix::fs::mkdirat(&above, name, mode)?;
                // The mask of this process does not count.
                rustix::fs::chmodat(&above, name, mode, AtFlags::empty())?;
            }
            EntryType::Symlink => {
                let target = entry.link_name()?.ok_or_else(|| invalid("a link without a target"))?;
                rustix::fs::symlinkat(&*target, &above, name)?;
            }
            EntryType::Regular => {
                let mut file = make_file(&above, name)?;
                io::copy(&mut entry, &mut file)?;
                file.set_permissions(fs::Permissions::from_mode(mode.as_raw_mode()))?;
            }
            _ => return Err(invalid("an entry that is neither a file, a folder nor a link")),
        }
    }
    pieces.finish()
}

fn open_folder(root: &OwnedFd, path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::PATH | OFlags::CLOEXEC;
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_XDEV;
    Ok(rustix::fs::openat2(root, path, flags, Mode::empty(), resolve)?)
}

fn make_file(above: &OwnedFd, name: &OsStr) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(above, name, flags, Mode::RUSR | Mode::WUSR)?.into())
}

/// Removes what is in a folder, and not the folder.
pub fn empty(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(fill: impl FnOnce(&mut Builder<&mut Vec<u8>>)) -> Vec<u8> {
        let mut archive = Vec::new();
        let mut builder = Builder::new(&mut archive);
        fill(&mut builder);
        builder.finish().unwrap();
        drop(builder);
        let mut sent = Vec::new();
        io::copy(&mut &archive[..], &mut Frames { to: &mut sent, kind: Kind::Tree }).unwrap();
        send(&mut sent, Kind::Tree, &[]).unwrap();
        sent
    }

    fn entry(builder: &mut Builder<&mut Vec<u8>>, kind: EntryType, name: &str, link: &str) {
        let mut header = Header::new_gnu();
        // `append_data` would refuse what is to be tried.
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.as_old_mut().linkname[..link.len()].copy_from_slice(link.as_bytes());
        header.set_entry_type(kind);
        header.set_mode(0o644);
        header.set_size(0);
        header.set_cksum();
        builder.append(&header, io::empty()).unwrap();
    }

    #[test]
    fn a_folder_arrives_as_it_was() {
        let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir_all(here.path().join("a/b")).unwrap();
        fs::write(here.path().join("a/b/text"), "hello").unwrap();
        fs::set_permissions(here.path().join("a/b/text"), fs::Permissions::from_mode(0o751)).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", here.path().join("link")).unwrap();
        let terms = measure(here.path(), false).unwrap();
        assert_eq!((terms.is_folder, terms.files, terms.bytes), (true, 5, Bytes(6 * 4096)));
        let mut sent = Vec::new();
        send_tree(here.path(), &mut sent).unwrap();
        receive_tree(Pieces::new(&mut &sent[..], Kind::Tree), there.path()).unwrap();
        let text = there.path().join("a/b/text");
        assert_eq!(fs::read_to_string(&text).unwrap(), "hello");
        assert_eq!(text.metadata().unwrap().permissions().mode() & 0o777, 0o751);
        assert_eq!(fs::read_link(there.path().join("link")).unwrap(), Path::new("/etc/passwd"));
        empty(there.path()).unwrap();
        assert_eq!(fs::read_dir(there.path()).unwrap().count(), 0);
    }

    #[test]
    fn nothing_leads_out_of_the_folder() {
        let outside = tempfile::tempdir().unwrap();
        let link = outside.path().to_str().unwrap();
        let refused = |fill: &dyn Fn(&mut Builder<&mut Vec<u8>>)| {
            let folder = tempfile::tempdir().unwrap();
            let sent = stream(|builder| fill(builder));
            assert!(receive_tree(Pieces::new(&mut &sent[..], Kind::Tree), folder.path()).is_err());
        };
        refused(&|builder| entry(builder, EntryType::Regular, "../up", ""));
        refused(&|builder| entry(builder, EntryType::Regular, "/tmp/absolute", ""));
        refused(&|builder| entry(builder, EntryType::Link, "hard", "/etc/passwd"));
        refused(&|builder| entry(builder, EntryType::Char, "device", ""));
        refused(&|builder| {
            entry(builder, EntryType::Symlink, "link", link);
            entry(builder, EntryType::Regular, "link/inside", "");
        });
        refused(&|builder| {
            entry(builder, EntryType::Symlink, "link", link);
            entry(builder, EntryType::Regular, "link", "");
        });
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    }
}
