//! Which of the caller's descriptors a program may get.
//!
//! A folder would lead out of its root (`fchdir`); a writable device or file could change the host. Only what is read
//! once from start to end is safe.

use crate::SandboxError;
use crate::sys::{self, MountUse};
use rustix::fd::{AsFd, AsRawFd, OwnedFd};
use rustix::fs::{FileType, OFlags, SeekFrom};
use std::io::{self, IsTerminal};
use std::path::Path;

/// Devices without state, by their numbers (`Documentation/admin-guide/devices.txt`): null, zero, full, random,
/// urandom.
const MEMORY_MAJOR: u32 = 1;
const STATELESS_MINORS: [u32; 5] = [3, 5, 7, 8, 9];

const WRITABLE_BY_OTHERS: u32 = 0o002;

/// Returns a descriptor if a program may read it as its standard input unchanged.
pub fn checked_input(fd: OwnedFd) -> Result<OwnedFd, SandboxError> {
    let look = "inspect the program's standard input";
    let about = rustix::fs::fstat(&fd).map_err(SandboxError::system(look))?;
    let flags = rustix::fs::fcntl_getfl(&fd).map_err(SandboxError::system(look))?;
    let device = (rustix::fs::major(about.st_rdev), rustix::fs::minor(about.st_rdev));
    let kind = FileType::from_raw_mode(about.st_mode);
    match refusal(kind, flags, device, fd.is_terminal()) {
        None if kind == FileType::RegularFile => {
            match read_only(&fd) {
                Ok(file) => Ok(file),
                // A file outside of this mount namespace, such as one in memory, is protected by its mode only.
                Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {
                    match about.st_mode & WRITABLE_BY_OTHERS {
                        0 => Ok(fd),
                        _ => Err(refused("all users may write the file; give its content through a pipe")),
                    }
                }
                Err(error) => {
                    Err(SandboxError::system("open the program's standard input for reading only")(error))
                }
            }
        }
        None if is_named_pipe(&fd)? => Err(refused(
            "a program could open the named pipe for writing; give its content through a pipe without a name",
        )),
        None if kind == FileType::Fifo => Ok(opened_anew(fd)),
        None => Ok(fd),
        Some(why) => Err(refused(why)),
    }
}

/// Returns whether this is a named pipe in a file system. A program with permission can open it again through
/// `/proc/self/fd`, to write to other processes that have it open; it can also read the name there.
pub fn is_named_pipe(fd: impl AsFd) -> Result<bool, SandboxError> {
    /// The file system of pipes without names (`PIPEFS_MAGIC` in linux/magic.h).
    const PIPE_FILE_SYSTEM: i64 = 0x5049_5045;
    let look = "inspect the program's standard input";
    let about = rustix::fs::fstat(&fd).map_err(SandboxError::system(look))?;
    if FileType::from_raw_mode(about.st_mode) != FileType::Fifo {
        return Ok(false);
    }
    let file_system = rustix::fs::fstatfs(&fd).map_err(SandboxError::system(look))?;
    Ok(file_system.f_type != PIPE_FILE_SYSTEM)
}

/// Opens a pipe again, so that a program that makes its end non-blocking does not affect others.
fn opened_anew(fd: OwnedFd) -> OwnedFd {
    let path = format!("/proc/self/fd/{}", fd.as_raw_fd());
    // A blocking open would wait for a writer, and there may be none left.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let anew = rustix::fs::open(path, flags, rustix::fs::Mode::empty());
    let waiting = |anew: OwnedFd| rustix::fs::fcntl_setfl(&anew, OFlags::empty()).map(|()| anew);
    // Without permission to open it, it is shared as usual.
    anew.and_then(waiting).unwrap_or(fd)
}

fn refused(why: &str) -> SandboxError {
    SandboxError::Plan { field: "standard input", why: why.to_owned() }
}

/// Opens a file again on a read-only mount of its own: otherwise a program could open it for writing through
/// `/proc/self/fd/0` if its mode allows that, whatever the folders above it permit.
fn read_only(fd: &OwnedFd) -> io::Result<OwnedFd> {
    let by_number = |fd: &OwnedFd| format!("/proc/self/fd/{}", fd.as_raw_fd());
    let mount = sys::detached_mount(Path::new(&by_number(fd)), MountUse::default())?;
    let file: OwnedFd = std::fs::File::open(by_number(&mount))?.into();
    let read_so_far = rustix::fs::tell(fd)?;
    rustix::fs::seek(&file, SeekFrom::Start(read_so_far))?;
    Ok(file)
}

fn refusal(kind: FileType, flags: OFlags, device: (u32, u32), is_terminal: bool) -> Option<&'static str> {
    if flags.contains(OFlags::PATH) {
        return Some("it was opened as a path only; give a file that is open for reading");
    }
    match kind {
        FileType::Fifo | FileType::Socket => None,
        FileType::RegularFile if flags & OFlags::RWMODE == OFlags::RDONLY => None,
        FileType::RegularFile => {
            Some("the file is open for writing, too; give it with '<', or through a pipe")
        }
        FileType::Directory => {
            Some("it is a folder, through which a program would leave the sandbox; give a file or a pipe")
        }
        FileType::CharacterDevice if is_terminal => None,
        FileType::CharacterDevice if device.0 == MEMORY_MAJOR && STATELESS_MINORS.contains(&device.1) => None,
        _ => Some("it is neither a file, a pipe, a socket nor a terminal; give its content through a pipe"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_with_a_name_is_no_input() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
        // Opening a pipe for reading and writing does not block.
        let named = std::fs::File::options().read(true).write(true).open(&path).unwrap();
        assert!(checked_input(named.into()).unwrap_err().to_string().contains("without a name"));
        let (read, _write) = rustix::pipe::pipe().unwrap();
        assert!(checked_input(read).is_ok());
    }

    #[test]
    fn pipe_input_blocks_independently_of_other_descriptors() {
        let (read, write) = rustix::pipe::pipe().unwrap();
        rustix::io::write(&write, b"all").unwrap();
        drop(write);
        let input = checked_input(read.try_clone().unwrap()).unwrap();
        let waits = |fd: &OwnedFd| !rustix::fs::fcntl_getfl(fd).unwrap().contains(OFlags::NONBLOCK);
        assert!(waits(&input));
        rustix::fs::fcntl_setfl(&input, OFlags::NONBLOCK).unwrap();
        assert!(waits(&read));
        let mut bytes = [0; 8];
        assert_eq!(rustix::io::read(&input, &mut bytes).unwrap(), 3);
        assert_eq!(rustix::io::read(&input, &mut bytes).unwrap(), 0, "its end is seen, too");
    }

    #[test]
    fn only_sequentially_readable_input_is_allowed() {
        let (read, write, both) = (OFlags::RDONLY, OFlags::WRONLY, OFlags::RDWR);
        let none = (0, 0);
        for (kind, flags, device, is_terminal, is_allowed) in [
            (FileType::RegularFile, read, none, false, true),
            (FileType::RegularFile, read | OFlags::APPEND | OFlags::NOFOLLOW, none, false, true),
            (FileType::RegularFile, both, none, false, false),
            (FileType::RegularFile, write, none, false, false),
            (FileType::RegularFile, OFlags::PATH, none, false, false),
            (FileType::Directory, read, none, false, false),
            (FileType::Fifo, both, none, false, true),
            (FileType::Socket, both, none, false, true),
            (FileType::CharacterDevice, both, (136, 0), true, true),
            (FileType::CharacterDevice, read, (1, 3), false, true),
            (FileType::CharacterDevice, read, (1, 1), false, false),
            (FileType::CharacterDevice, both, (10, 232), false, false),
            (FileType::BlockDevice, read, (8, 0), false, false),
            (FileType::Unknown, read, none, false, false),
        ] {
            let refused = refusal(kind, flags, device, is_terminal);
            assert_eq!(refused.is_none(), is_allowed, "{kind:?} {flags:?} {device:?}: {refused:?}");
        }
    }
}
