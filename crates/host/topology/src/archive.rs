//! Archives of recorded machines, read into memory: nothing is ever unpacked to disk.

use super::TopologyError;
use super::source::FILE_BYTES_MAX;
use bzip2::read::MultiBzDecoder;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::{Component, Path};
use tar::{Archive, EntryType};

/// A machine of 256 CPUs has 16,000 files; one of 8,192 CPUs, recorded whole, would still fit.
const ENTRIES_MAX: usize = 1 << 20;
/// Prevents a small archive from filling the memory; a recording of 256 CPUs unpacks to 20 MB.
const UNPACKED_BYTES_MAX: u64 = 2 << 30;
/// Limit on the kept part, which is much less: only files below these folders.
const KEPT_BYTES_MAX: u64 = 256 << 20;
const FOLDERS: [&str; 3] = ["proc", "sys", "dev"];

/// Reads the files below `proc`, `sys` and `dev`, wherever these are in the archive.
pub(super) fn read(path: &Path) -> Result<BTreeMap<String, Vec<u8>>, TopologyError> {
    let unreadable = |source| TopologyError::Read { path: path.to_owned(), source };
    let too_large = |limit| TopologyError::TooLarge { path: path.to_owned(), limit };
    let unpacked = unpack(path).map_err(unreadable)?.take(UNPACKED_BYTES_MAX);
    let mut archive = Archive::new(unpacked);
    let mut files = BTreeMap::new();
    let mut kept_bytes = 0;
    for (count, entry) in archive.entries().map_err(unreadable)?.enumerate() {
        if count >= ENTRIES_MAX {
            return Err(too_large("1,048,576 entries"));
        }
        let mut entry = entry.map_err(unreadable)?;
        // Links lead to other files of the same recording, which have their own entries.
        if !matches!(entry.header().entry_type(), EntryType::Regular | EntryType::Continuous) {
            continue;
        }
        let Some(name) = name_in_machine(&entry.path().map_err(unreadable)?) else { continue };
        if entry.size() > FILE_BYTES_MAX {
            return Err(too_large("16 MiB in one file"));
        }
        kept_bytes += entry.size();
        if kept_bytes > KEPT_BYTES_MAX {
            return Err(too_large("256 MiB in all its files"));
        }
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).map_err(unreadable)?;
        files.insert(name, bytes);
    }
    Ok(files)
}

/// Writes files as a `.tar.gz` with one folder; the same files yield the same bytes.
pub(super) fn write(path: &Path, folder: &str, files: &BTreeMap<String, Vec<u8>>) -> std::io::Result<()> {
    let mut builder = tar::Builder::new(GzEncoder::new(File::create(path)?, Compression::best()));
    for (name, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, Path::new(folder).join(name), bytes.as_slice())?;
    }
    builder.into_inner()?.finish()?.sync_all()
}

fn unpack(path: &Path) -> std::io::Result<Box<dyn Read>> {
    let mut file = File::open(path)?;
    let mut magic = Vec::new();
    (&mut file).take(4).read_to_end(&mut magic)?;
    file.rewind()?;
    let file = BufReader::new(file);
    Ok(match magic.as_slice() {
        [0x1f, 0x8b, ..] => Box::new(MultiGzDecoder::new(file)),
        [b'B', b'Z', b'h', ..] => Box::new(MultiBzDecoder::new(file)),
        _ => Box::new(file),
    })
}

/// Returns the path from the recorded root directory, or `None` if it is elsewhere.
fn name_in_machine(path: &Path) -> Option<String> {
    let mut names = Vec::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => names.push(name.to_str()?),
            Component::CurDir | Component::RootDir => {}
            Component::ParentDir | Component::Prefix(_) => return None,
        }
    }
    let top = names.iter().position(|name| FOLDERS.contains(name))?;
    Some(names[top..].join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_start_at_the_recorded_root() {
        for (path, name) in [
            ("machine/sys/devices/system/cpu/online", Some("sys/devices/system/cpu/online")),
            ("./proc/cpuinfo", Some("proc/cpuinfo")),
            ("a/b/dev/cpuset/jobs/cpus", Some("dev/cpuset/jobs/cpus")),
            ("machine/etc/passwd", None),
            ("machine/../sys/x", None),
        ] {
            assert_eq!(name_in_machine(Path::new(path)).as_deref(), name, "{path}");
        }
    }

    #[test]
    fn archive_is_read_back_and_deterministic() {
        let folder = tempfile::tempdir().unwrap();
        let files = BTreeMap::from([("sys/devices/system/cpu/online".to_owned(), b"0-3\n".to_vec())]);
        let (one, two) = (folder.path().join("one.tar.gz"), folder.path().join("two.tar.gz"));
        write(&one, "m", &files).unwrap();
        write(&two, "m", &files).unwrap();
        assert_eq!(read(&one).unwrap(), files);
        assert_eq!(std::fs::read(one).unwrap(), std::fs::read(two).unwrap());
    }

    #[test]
    fn corrupt_archive_is_named() {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in [("a.tar.bz2", b"BZh9 and no more".as_slice()), ("a.tar", b"This is a text.")] {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            let error = read(&path).unwrap_err().to_string();
            assert!(error.contains(name), "{error}");
        }
    }
}
