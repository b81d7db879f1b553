//! Files of tauto's own in a folder that all its processes share, such as locks.
//!
//! What else may lie there under such a name must neither be followed nor waited for: opening a named pipe would last
//! until another process opens it too.

use rustix::fs::{FileType, Mode, OFlags};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

pub fn make(path: &Path) -> io::Result<File> {
    open_with(path, OFlags::RDWR | OFlags::CREATE)
}

pub fn open(path: &Path) -> io::Result<File> {
    open_with(path, OFlags::RDONLY)
}

/// Opens a file for reading, and writing at its end.
pub fn append(path: &Path) -> io::Result<File> {
    open_with(path, OFlags::RDWR | OFlags::APPEND)
}

pub fn read(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    open(path)?.read_to_string(&mut text)?;
    Ok(text)
}

pub fn create(path: &Path) -> io::Result<File> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    File::options().write(true).create_new(true).open(path)
}

fn open_with(path: &Path, how: OFlags) -> io::Result<File> {
    let safely = OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = match rustix::fs::open(path, how | safely, Mode::from_raw_mode(0o666)) {
        Ok(file) => File::from(file),
        Err(error) => return Err(unusable(path).unwrap_or_else(|| error.into())),
    };
    let seen = rustix::fs::fstat(&file)?;
    match reason(&seen) {
        Some(reason) => Err(reason),
        None => Ok(file),
    }
}

/// Returns why what is at a path cannot be used, if its kind or owner is the reason.
fn unusable(path: &Path) -> Option<io::Error> {
    reason(&rustix::fs::lstat(path).ok()?)
}

fn reason(seen: &rustix::fs::Stat) -> Option<io::Error> {
    let is = match FileType::from_raw_mode(seen.st_mode) {
        FileType::RegularFile => {
            let is_ours = seen.st_uid == 0 || seen.st_uid == rustix::process::geteuid().as_raw();
            return (!is_ours).then(|| refused(&format!("it belongs to user {}", seen.st_uid)));
        }
        FileType::Fifo => "it is a named pipe",
        FileType::Symlink => "it is a symbolic link",
        FileType::Directory => "it is a folder",
        FileType::Socket => "it is a socket",
        _ => "it is a device",
    };
    Some(refused(is))
}

fn refused(is: &str) -> io::Error {
    io::Error::other(format!("{is}; expected a regular file of root's or of this user's: remove it"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::CWD;
    use std::io::Write;
    use std::os::unix::fs::{chown, symlink};
    use std::os::unix::net::UnixListener;

    #[test]
    fn a_file_is_made_once_and_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("slot-0.lock");
        assert_eq!(open(&path).unwrap_err().kind(), io::ErrorKind::NotFound);
        make(&path).unwrap().write_all(b"text").unwrap();
        make(&path).unwrap();
        assert_eq!(read(&path).unwrap(), "text");
    }

    /// Opening the pipe as usual would never return.
    #[test]
    fn foreign_file_is_named_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        rustix::fs::mknodat(CWD, at("pipe"), FileType::Fifo, Mode::from_raw_mode(0o666), 0).unwrap();
        std::fs::write(at("file"), "").unwrap();
        symlink(at("file"), at("link")).unwrap();
        symlink(at("nothing"), at("loose link")).unwrap();
        std::fs::create_dir(at("folder")).unwrap();
        let _listener = UnixListener::bind(at("socket")).unwrap();
        let mut expected = vec![
            ("pipe", "it is a named pipe"),
            ("link", "it is a symbolic link"),
            ("loose link", "it is a symbolic link"),
            ("folder", "it is a folder"),
            ("socket", "it is a socket"),
        ];
        std::fs::write(at("other's"), "").unwrap();
        if chown(at("other's"), Some(12_345), None).is_ok() {
            expected.push(("other's", "it belongs to user 12345"));
        }
        for (name, is) in expected {
            for opened in [make(&at(name)), open(&at(name)), append(&at(name))] {
                let error = opened.unwrap_err();
                let text = error.to_string();
                assert!(
                    text.starts_with(&format!("{is}; expected")) && text.ends_with("remove it"),
                    "{name}: {text}"
                );
            }
        }
        assert!(!at("nothing").exists(), "a link is not followed");
        for name in ["pipe", "loose link", "new"] {
            create(&at(name)).unwrap().write_all(b"text").unwrap();
            assert_eq!(read(&at(name)).unwrap(), "text");
        }
        assert!(!at("nothing").exists(), "a link is not followed");
    }
}
