//! Examines what a build has left, before anything else of tauto uses it.
//!
//! Code may run during compilation and leave anything: countless files, huge sparse files, endlessly nested folders, or
//! pipes that block on opening. What passes this check is limited in all these respects, has printable names, belongs
//! to tauto's user, and can be read by all users.

use crate::JudgeError;
use model::Bytes;
use rustix::fs::{OFlags, SeekFrom};
use rustix::io::Errno;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, PermissionsExt, lchown};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Files, folders and links together; each hard link counts.
pub(crate) const FILES_MAX: usize = 16_384;
/// All files together by their lengths: reading a sparse file reads its holes too.
pub(crate) const SIZE_MAX: Bytes = Bytes::from_mib(512);
/// Deeper than the sources of a submission may be, with room for what a compiler adds.
const DEPTH_MAX: usize = languages::DEPTH_MAX + 16;
/// So that each path can be opened as a whole wherever it is mounted.
const PATH_BYTES_MAX: usize = 2048;
/// The unit of a file's blocks, whatever its file system (stat(2)).
const BLOCK_BYTES: u64 = 512;
/// How much of a name is shown.
const SHOWN_CHARS_MAX: usize = 80;

/// The result of the examination.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Remains {
    /// It can be used; these names are at the top, in order.
    Usable(Vec<String>),
    /// It cannot be used, for this reason.
    Refused(String),
}

/// Examines everything below `folder`; makes tauto the owner of what can be used, and all users able to read it.
///
/// # Errors
/// On an internal failure; nothing that a build leaves can cause one.
pub(crate) fn examine(folder: &Path) -> Result<Remains, JudgeError> {
    let mut walk =
        Walk { top: folder, count: 0, bytes: 0, names: Vec::new(), folders: Vec::new(), sparse: Vec::new() };
    // No process of the build is left, so the files do not change meanwhile.
    take_over(folder, FOLDER_MODE)?;
    walk.folders.push((PathBuf::new(), 0));
    while let Some((relative, depth)) = walk.folders.pop() {
        if let Some(why) = walk.folder(&relative, depth)? {
            return Ok(Remains::Refused(format!("the build left {why}")));
        }
    }
    for file in walk.sparse {
        fill_holes(&file).map_err(JudgeError::file("fill the holes of", &file))?;
    }
    walk.names.sort();
    Ok(Remains::Usable(walk.names))
}

/// Resets the folder's mode and owner, so that the next command of a build can use it.
pub(crate) fn reopen(folder: &Path, user: u32) -> Result<(), JudgeError> {
    take_over(folder, FOLDER_MODE)?;
    give(folder, user)
}

const FOLDER_MODE: u32 = 0o755;

struct Walk<'a> {
    top: &'a Path,
    count: usize,
    bytes: u64,
    names: Vec<String>,
    /// Folders still to be examined, relative to the top, and their depths.
    folders: Vec<(PathBuf, usize)>,
    sparse: Vec<PathBuf>,
}

impl Walk<'_> {
    /// Examines one folder; returns the first thing that is not allowed.
    fn folder(&mut self, relative: &Path, depth: usize) -> Result<Option<String>, JudgeError> {
        let path = self.top.join(relative);
        for entry in fs::read_dir(&path).map_err(JudgeError::file("list", &path))? {
            let entry = entry.map_err(JudgeError::file("list", &path))?;
            self.count += 1;
            if self.count > FILES_MAX {
                return Ok(Some(format!("more than {FILES_MAX} files and folders")));
            }
            let name = entry.file_name();
            let below = relative.join(&name);
            let Some(name) = name.to_str() else {
                return Ok(Some(format!("{}, a name that is not UTF-8", shown(&below))));
            };
            if below.as_os_str().len() > PATH_BYTES_MAX {
                return Ok(Some(format!("{}, a path of more than {PATH_BYTES_MAX} bytes", shown(&below))));
            }
            let path = entry.path();
            let data = fs::symlink_metadata(&path).map_err(JudgeError::file("look at", &path))?;
            let kind = data.file_type();
            if kind.is_dir() {
                if depth == DEPTH_MAX {
                    return Ok(Some(format!("{}, more than {DEPTH_MAX} folders deep", shown(&below))));
                }
                take_over(&path, FOLDER_MODE)?;
                self.folders.push((below, depth + 1));
            } else if kind.is_file() {
                self.bytes = self.bytes.saturating_add(data.len());
                if self.bytes > SIZE_MAX.0 {
                    return Ok(Some(format!("files of more than {SIZE_MAX} together, holes counted")));
                }
                let may_run = if data.permissions().mode() & 0o100 == 0 { 0 } else { 0o111 };
                take_over(&path, 0o644 | may_run)?;
                if data.blocks() * BLOCK_BYTES < data.len() {
                    self.sparse.push(path);
                }
            } else if !kind.is_symlink() {
                let words = "which is no file, folder or link, but a pipe, a socket or a device";
                return Ok(Some(format!("{}, {words}", shown(&below))));
            }
            if depth == 0 {
                self.names.push(name.to_owned());
            }
        }
        Ok(None)
    }
}

/// Writes zeroes where a file has holes. A run that maps a hole of a file in memory and reads there fills it, though it
/// sees the file read-only; so it could leave a message to the next run of its program.
fn fill_holes(path: &Path) -> io::Result<()> {
    static ZEROES: [u8; 64 << 10] = [0; 64 << 10];
    let file = fs::File::options().write(true).custom_flags(OFlags::NOFOLLOW.bits() as i32).open(path)?;
    let length = file.metadata()?.len();
    let mut at = 0;
    while at < length {
        // There is a hole at the end of every file.
        at = rustix::fs::seek(&file, SeekFrom::Hole(at))?;
        if at == length {
            break;
        }
        let end = match rustix::fs::seek(&file, SeekFrom::Data(at)) {
            Ok(end) => end,
            Err(Errno::NXIO) => length,
            Err(error) => return Err(error.into()),
        };
        while at < end {
            let bytes = (end - at).min(ZEROES.len() as u64);
            file.write_all_at(&ZEROES[..bytes as usize], at)?;
            at += bytes;
        }
    }
    Ok(())
}

/// Takes ownership of a file or folder. The owner comes first: only the owner may change the mode without further
/// privileges.
fn take_over(path: &Path, mode: u32) -> Result<(), JudgeError> {
    give(path, rustix::process::geteuid().as_raw())?;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
        .map_err(JudgeError::file("set the mode of", path))
}

fn give(path: &Path, user: u32) -> Result<(), JudgeError> {
    lchown(path, Some(user), Some(user)).map_err(JudgeError::file("change the owner of", path))
}

/// Returns the beginning of a path, without characters that a terminal would interpret.
fn shown(path: &Path) -> String {
    let name = path.to_string_lossy();
    let mut text: String = name.chars().take(SHOWN_CHARS_MAX).collect();
    if text.len() < name.len() {
        text.push_str("...");
    }
    format!("'{}'", text.escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    /// Returns the refusal for a folder that `leave` has filled; `None` if it can be used.
    fn reported(leave: impl FnOnce(&Path)) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        leave(folder.path());
        match examine(folder.path()).unwrap() {
            Remains::Usable(_) => None,
            Remains::Refused(why) => Some(why),
        }
    }

    fn sparse(path: &Path, mib: u64) {
        fs::File::create(path).unwrap().set_len(mib << 20).unwrap();
    }

    #[test]
    fn free_file_system_objects_are_bounded() {
        let size = |folder: &Path| {
            for number in 0..3 {
                sparse(&folder.join(number.to_string()), 200);
            }
        };
        assert_eq!(
            reported(size).unwrap(),
            "the build left files of more than 512.0 MiB together, holes counted"
        );
        let links = |folder: &Path| {
            sparse(&folder.join("one"), 300);
            fs::hard_link(folder.join("one"), folder.join("two")).unwrap();
        };
        assert!(
            reported(links).unwrap().contains("512.0 MiB"),
            "a hard link is read as often as it is named"
        );
        let count = |folder: &Path| {
            for number in 0..=FILES_MAX {
                symlink("nowhere", folder.join(number.to_string())).unwrap();
            }
        };
        assert_eq!(reported(count).unwrap(), "the build left more than 16384 files and folders");
    }

    #[test]
    fn folders_without_end_and_names_without_end_are_refused() {
        let nest = |name: &'static str| {
            move |folder: &Path| {
                let mut path = folder.to_owned();
                for _ in 0..60 {
                    path.push(name);
                    // A test cannot make a path longer than one call accepts.
                    if fs::create_dir(&path).is_err() {
                        break;
                    }
                }
            }
        };
        assert!(reported(nest("d")).unwrap().ends_with(&format!("', more than {DEPTH_MAX} folders deep")));
        let long = Box::leak("n".repeat(250).into_boxed_str());
        let why = reported(nest(long)).unwrap();
        assert!(why.ends_with("...', a path of more than 2048 bytes") && why.len() < 160, "{why}");
    }

    #[test]
    fn nameless_entries_and_special_files_are_refused() {
        let pipe = |folder: &Path| {
            mknodat(CWD, folder.join("a\n"), FileType::Fifo, Mode::RUSR, 0).unwrap();
        };
        assert_eq!(
            reported(pipe).unwrap(),
            r"the build left 'a\n', which is no file, folder or link, but a pipe, a socket or a device"
        );
        let socket = |folder: &Path| {
            std::os::unix::net::UnixListener::bind(folder.join("s")).unwrap();
        };
        assert!(reported(socket).unwrap().contains("a socket"));
        let name = |folder: &Path| fs::write(folder.join(OsStr::from_bytes(b"x\xff")), "").unwrap();
        assert!(reported(name).unwrap().ends_with("a name that is not UTF-8"));
    }

    #[test]
    fn holes_are_filled() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        let file = fs::File::create(&path).unwrap();
        for at in [300_000, 700_000] {
            file.write_all_at(b"data", at).unwrap();
        }
        file.set_len(1_000_001).unwrap();
        assert!(file.metadata().unwrap().blocks() * BLOCK_BYTES < 100_000);
        assert_eq!(examine(folder.path()).unwrap(), Remains::Usable(vec!["f".to_owned()]));
        assert!(file.metadata().unwrap().blocks() * BLOCK_BYTES >= 1_000_001);
        let content = fs::read(&path).unwrap();
        assert_eq!(content.len(), 1_000_001);
        assert_eq!((&content[300_000..300_004], &content[700_000..700_004]), (&b"data"[..], &b"data"[..]));
        assert_eq!(content.iter().filter(|byte| **byte != 0).count(), 8);
    }

    #[test]
    fn usable_files_become_readable_and_links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        fs::set_permissions(outside.path(), fs::Permissions::from_mode(0o700)).unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("d")).unwrap();
        for (name, mode) in [("run", 0o700), ("d/data", 0o200), ("d", 0o100)] {
            if name != "d" {
                fs::write(path(name), "x").unwrap();
            }
            fs::set_permissions(path(name), fs::Permissions::from_mode(mode)).unwrap();
        }
        symlink(outside.path(), path("link")).unwrap();
        let names = ["d", "link", "run"].map(str::to_owned).to_vec();
        assert_eq!(examine(folder.path()).unwrap(), Remains::Usable(names));
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
        assert_eq!(["run", "d", "d/data"].map(|name| mode(&path(name))), [0o755, 0o755, 0o644]);
        assert_eq!(mode(outside.path()), 0o700);
    }
}
