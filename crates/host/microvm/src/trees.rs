//! Folders and files as streams, from the host to a guest and back.
//!
//! An archive's library reads names of any length into memory, and a guest may send any; so an entry is a message, of bounded size,
//! and its content follows in pieces.

use crate::wire::{
    CHUNK_BYTES, Entry, EntryKind, Kind, TreeTerms, invalid, read, receive, send, send_message,
};
use model::Bytes;
use rustix::fs::{AtFlags, Mode, OFlags, ResolveFlags};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};
use walkdir::WalkDir;

/// The name of what is a file and not a folder.
pub const FILE: &str = "file";
/// What a file needs in a file system in memory, besides its content in whole pages.
const ENTRY_BYTES: u64 = 4096;
/// The longest path that a call of the kernel takes.
const PATH_BYTES_MAX: usize = 4096;

/// Returns what a folder or a file needs elsewhere. What is neither file, folder nor link is left out.
pub fn measure(path: &Path, writable: bool) -> io::Result<TreeTerms> {
    let mut terms = TreeTerms { is_folder: path.is_dir(), bytes: Bytes(0), files: 0, writable };
    if !terms.is_folder && !path.is_file() {
        return Err(invalid("it is neither a file nor a folder"));
    }
    for entry in WalkDir::new(path).same_file_system(true) {
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

/// Returns why what was left in a folder cannot be sent back, if so: there is more than was room for outside, or something that no
/// compiler leaves.
pub fn objection(folder: &Path, terms: &TreeTerms) -> Option<String> {
    let (mut bytes, mut files) = (0_u64, 0_u32);
    for entry in WalkDir::new(folder).min_depth(1) {
        let Ok(entry) = entry else { return Some("it cannot be read".to_owned()) };
        let Ok(found) = entry.metadata() else { return Some("it cannot be read".to_owned()) };
        let name = || entry.file_name().to_string_lossy().into_owned();
        if !(found.is_file() || found.is_dir() || found.is_symlink()) {
            return Some(format!("'{}' is neither a file, a folder nor a link", name()));
        }
        if entry.path().as_os_str().len() > PATH_BYTES_MAX / 2 {
            return Some(format!("the path of '{}' is too long", name()));
        }
        bytes = bytes.saturating_add(if found.is_file() { found.len() } else { 0 });
        files = files.saturating_add(1);
    }
    let is_over = bytes > terms.bytes.0 || files > terms.files;
    is_over.then(|| format!("there are {files} files of {}, more than there is room for", Bytes(bytes)))
}

/// Sends what is at a path.
pub fn send_tree(path: &Path, to: &mut impl Write) -> io::Result<()> {
    if path.is_dir() {
        for entry in WalkDir::new(path).min_depth(1).same_file_system(true).sort_by_file_name() {
            let entry = entry.map_err(io::Error::from)?;
            let name = entry.path().strip_prefix(path).map_err(io::Error::other)?;
            send_entry(entry.path(), name, to)?;
        }
    } else {
        send_entry(path, Path::new(FILE), to)?;
    }
    send(to, Kind::Entry, &[])
}

fn send_entry(path: &Path, name: &Path, to: &mut impl Write) -> io::Result<()> {
    let found = if name == Path::new(FILE) { path.metadata()? } else { path.symlink_metadata()? };
    let kind = if found.is_symlink() {
        EntryKind::Link(fs::read_link(path)?.into_os_string().into_vec())
    } else if found.is_dir() {
        EntryKind::Folder
    } else if found.is_file() {
        EntryKind::File(found.len())
    } else {
        return Ok(());
    };
    let size = if let EntryKind::File(size) = kind { size } else { 0 };
    let entry =
        Entry { path: name.as_os_str().as_bytes().to_vec(), mode: found.permissions().mode() & 0o777, kind };
    send_message(to, Kind::Entry, &entry)?;
    if size == 0 {
        return Ok(());
    }
    // A file that shrinks meanwhile is filled up, and one that grows is cut.
    let mut content = File::open(path)?.chain(io::repeat(0)).take(size);
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        match content.read(&mut chunk)? {
            0 => return Ok(()),
            length => send(to, Kind::Tree, &chunk[..length])?,
        }
    }
}

/// Receives what was sent, into an empty folder. Nothing of it leads out of there, even if a run has taken over the guest that sent it.
pub fn receive_tree(from: &mut impl Read, folder: &Path) -> io::Result<()> {
    let mut content = Vec::new();
    match receive(from, &mut content)? {
        Some(Kind::Entry) => receive_after(content, from, folder),
        _ => Err(invalid("a frame out of turn")),
    }
}

/// Receives it after its first frame, which was read already.
pub fn receive_after(mut content: Vec<u8>, from: &mut impl Read, folder: &Path) -> io::Result<()> {
    let flags = OFlags::DIRECTORY | OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let root = rustix::fs::open(folder, flags, Mode::empty())?;
    while !content.is_empty() {
        let entry: Entry = read(&content)?;
        let path = PathBuf::from(std::ffi::OsString::from_vec(entry.path));
        let plain = path.components().all(|part| matches!(part, Component::Normal(_)));
        let Some(name) = path.file_name().filter(|_| plain) else {
            return Err(invalid("a name that leads elsewhere"));
        };
        let above = open_folder(&root, path.parent().unwrap_or(Path::new("")))?;
        let mode = Mode::from_raw_mode(entry.mode & 0o777);
        match entry.kind {
            EntryKind::Folder => {
                rustix::fs::mkdirat(&above, name, mode)?;
                // The mask of this process does not count.
                rustix::fs::chmodat(&above, name, mode, AtFlags::empty())?;
            }
            EntryKind::Link(target) => rustix::fs::symlinkat(OsStr::from_bytes(&target), &above, name)?,
            EntryKind::File(size) => {
                let mut file = make_file(&above, name)?;
                receive_content(from, &mut file, size)?;
                file.set_permissions(fs::Permissions::from_mode(mode.as_raw_mode()))?;
            }
        }
        if receive(from, &mut content)? != Some(Kind::Entry) {
            return Err(invalid("a frame out of turn"));
        }
    }
    Ok(())
}

fn receive_content(from: &mut impl Read, to: &mut File, size: u64) -> io::Result<()> {
    let (mut left, mut piece) = (size, Vec::new());
    while left > 0 {
        if receive(from, &mut piece)? != Some(Kind::Tree) || piece.is_empty() {
            return Err(invalid("a frame out of turn"));
        }
        left = left
            .checked_sub(piece.len() as u64)
            .ok_or_else(|| invalid("more of a file than was announced"))?;
        to.write_all(&piece)?;
    }
    Ok(())
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

    #[test]
    fn a_folder_arrives_as_it_was() {
        let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir_all(here.path().join("a/b")).unwrap();
        let content: Vec<u8> = (0..200_000_u32).map(|number| number as u8).collect();
        fs::write(here.path().join("a/b/text"), &content).unwrap();
        fs::set_permissions(here.path().join("a/b/text"), fs::Permissions::from_mode(0o751)).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", here.path().join("link")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(here.path().join("socket")).unwrap();
        let terms = measure(here.path(), false).unwrap();
        assert_eq!((terms.is_folder, terms.files, terms.bytes), (true, 6, Bytes(6 * 4096 + 49 * 4096)));
        let mut sent = Vec::new();
        send_tree(here.path(), &mut sent).unwrap();
        receive_tree(&mut &sent[..], there.path()).unwrap();
        let text = there.path().join("a/b/text");
        assert_eq!(fs::read(&text).unwrap(), content);
        assert_eq!(text.metadata().unwrap().permissions().mode() & 0o777, 0o751);
        assert_eq!(fs::read_link(there.path().join("link")).unwrap(), Path::new("/etc/passwd"));
        assert!(!there.path().join("socket").exists());
        empty(there.path()).unwrap();
        assert_eq!(fs::read_dir(there.path()).unwrap().count(), 0);
        assert!(measure(Path::new("/dev/null"), false).is_err());
    }

    #[test]
    fn nothing_leads_out_of_the_folder() {
        let outside = tempfile::tempdir().unwrap();
        let link = || EntryKind::Link(outside.path().as_os_str().as_bytes().to_vec());
        let refused = |entries: Vec<(&str, EntryKind)>| {
            let folder = tempfile::tempdir().unwrap();
            let mut sent = Vec::new();
            for (path, kind) in entries {
                let entry = Entry { path: path.as_bytes().to_vec(), mode: 0o644, kind };
                send_message(&mut sent, Kind::Entry, &entry).unwrap();
            }
            send(&mut sent, Kind::Entry, &[]).unwrap();
            assert!(receive_tree(&mut &sent[..], folder.path()).is_err());
        };
        refused(vec![("../up", EntryKind::File(0))]);
        refused(vec![("/tmp/absolute", EntryKind::File(0))]);
        refused(vec![("", EntryKind::Folder)]);
        refused(vec![("link", link()), ("link/inside", EntryKind::File(0))]);
        refused(vec![("link", link()), ("link", EntryKind::File(0))]);
        refused(vec![("short", EntryKind::File(1))]);
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_a_compiler_cannot_have_left_is_objected_to() {
        let folder = tempfile::tempdir().unwrap();
        let terms = |bytes, files| TreeTerms { is_folder: true, bytes: Bytes(bytes), files, writable: true };
        fs::write(folder.path().join("a.out"), [0; 100]).unwrap();
        assert_eq!(objection(folder.path(), &terms(100, 1)), None);
        assert!(objection(folder.path(), &terms(100, 0)).unwrap().starts_with("there are 1 files of 100 B"));
        let sparse = File::create(folder.path().join("sparse")).unwrap();
        sparse.set_len(1 << 30).unwrap();
        assert!(
            objection(folder.path(), &terms(1 << 20, 9)).unwrap().contains("more than there is room for")
        );
        let _socket = std::os::unix::net::UnixListener::bind(folder.path().join("socket")).unwrap();
        let why = objection(folder.path(), &terms(u64::MAX, 9)).unwrap();
        assert_eq!(why, "'socket' is neither a file, a folder nor a link");
    }
}
