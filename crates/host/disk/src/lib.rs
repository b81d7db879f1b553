//! A root file system as one file: a squashfs, which a kernel mounts read-only.

mod seal;

pub use seal::{seal, sealed};

use backhand::compression::{CompressionAction, Compressor};
use backhand::kind::Kind;
use backhand::{BackhandError, FilesystemCompressor, FilesystemWriter, NodeHeader, SuperBlock};
use std::fs::{self, File};
use std::io::{self, Error, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use walkdir::WalkDir;

/// Folders on which containers and guests mount their own.
const OWN: [&str; 5] = ["dev", "proc", "sys", "box", "program"];

/// The longest target of a link that the writer takes.
const TARGET_MAX: usize = 255;

/// Stores all as it is: unpacking would cost the runs that read it time, of those that count.
struct AsItIs;

impl CompressionAction for AsItIs {
    type Error = BackhandError;
    type Compressor = Compressor;
    type FilesystemCompressor = FilesystemCompressor;
    type SuperBlock = SuperBlock;

    fn decompress(&self, bytes: &[u8], out: &mut Vec<u8>, _: Compressor) -> Result<(), BackhandError> {
        out.extend_from_slice(bytes);
        Ok(())
    }

    /// Returns something that is longer, so that the writer takes what it was made of, and marks it as not compressed.
    fn compress(&self, bytes: &[u8], _: FilesystemCompressor, _: u32) -> Result<Vec<u8>, BackhandError> {
        Ok(vec![0; bytes.len() + 1])
    }
}

/// Writes the files, folders and links of a tree, which all belong to root; nothing else of it.
///
/// # Errors
/// If something cannot be read or written, or it is to stop.
pub fn write(tree: &Path, to: &File, is_stopped: &dyn Fn() -> bool) -> io::Result<()> {
    let mut image = FilesystemWriter::default();
    image.set_kind(Kind::new_v4(&AsItIs));
    // A kernel wants to know the compression that it names, even if nothing is compressed; Linux has this one by default.
    image.set_compressor(FilesystemCompressor::new(Compressor::Gzip, None).map_err(Error::other)?);
    image.set_time(0);
    image.set_root_mode(0o755);
    image.set_only_root_id();
    for entry in WalkDir::new(tree).min_depth(1).same_file_system(true).sort_by_file_name() {
        let entry = entry.map_err(io::Error::from)?;
        let found = entry.metadata().map_err(io::Error::from)?;
        let name = entry.path().strip_prefix(tree).map_err(Error::other)?;
        // Not the right to become another user.
        let mode = (found.mode() & 0o1777) as u16;
        let time = found.mtime().clamp(0, i64::from(u32::MAX));
        let header = NodeHeader::new(mode, 0, 0, u32::try_from(time).unwrap_or_default());
        let added = if found.is_symlink() {
            let target = fs::read_link(entry.path())?;
            if target.as_os_str().len() > TARGET_MAX {
                let name = name.display();
                return Err(Error::other(format!("{name}: a link may lead to {TARGET_MAX} bytes at most")));
            }
            image.push_symlink(target, name, header)
        } else if found.is_dir() {
            image.push_dir(name, header)
        } else if found.is_file() {
            image.push_file_from_path(entry.path(), name, header)
        } else {
            Ok(())
        };
        added.map_err(|error| Error::other(format!("{}: {error}", name.display())))?;
    }
    for name in OWN {
        if tree.join(name).symlink_metadata().is_err() {
            image.push_dir(name, NodeHeader::new(0o755, 0, 0, 0)).map_err(Error::other)?;
        }
    }
    image.write(Stoppable { file: to, is_stopped }).map_err(Error::other)?;
    Ok(())
}

/// A file that is written until it is to stop: a large image takes a minute.
struct Stoppable<'a> {
    file: &'a File,
    is_stopped: &'a dyn Fn() -> bool,
}

impl Write for Stoppable<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if (self.is_stopped)() { Err(Error::other("interrupted")) } else { self.file.write(bytes) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for Stoppable<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_tree_is_read_back_from_its_disk() {
        let tree = tempfile::tempdir().unwrap();
        fs::create_dir_all(tree.path().join("usr/bin")).unwrap();
        fs::write(tree.path().join("usr/bin/tool"), vec![7; 300_000]).unwrap();
        fs::set_permissions(tree.path().join("usr/bin/tool"), fs::Permissions::from_mode(0o4755)).unwrap();
        std::os::unix::fs::symlink("usr/bin", tree.path().join("bin")).unwrap();
        std::os::unix::fs::symlink("/nowhere", tree.path().join("dev")).unwrap();
        fs::set_permissions(tree.path().join("usr/bin"), fs::Permissions::from_mode(0o1777)).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(tree.path().join("socket")).unwrap();
        let mut disk = tempfile::tempfile().unwrap();
        assert!(write(tree.path(), &disk, &|| true).is_err(), "it is to stop");
        disk.set_len(0).unwrap();
        Seek::rewind(&mut disk).unwrap();
        write(tree.path(), &disk, &|| false).unwrap();
        Seek::rewind(&mut disk).unwrap();
        let read = backhand::FilesystemReader::from_reader(io::BufReader::new(disk)).unwrap();
        let names: Vec<String> = read
            .files()
            .map(|node| format!("{} {:o}", node.fullpath.display(), node.header.permissions))
            .collect();
        let expected = [
            "/ 755",
            "/bin 777",
            "/box 755",
            "/dev 777",
            "/proc 755",
            "/program 755",
            "/sys 755",
            "/usr 755",
        ];
        assert_eq!(names[..8], expected);
        assert_eq!(names[8..], ["/usr/bin 1777", "/usr/bin/tool 755"], "without the bits that give rights");
        std::os::unix::fs::symlink("x".repeat(256), tree.path().join("far")).unwrap();
        let error = write(tree.path(), &tempfile::tempfile().unwrap(), &|| false).unwrap_err();
        assert_eq!(error.to_string(), "far: a link may lead to 255 bytes at most");
    }
}
