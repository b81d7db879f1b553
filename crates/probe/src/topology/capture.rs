//! Recording a machine, so that its topology can be read elsewhere.

use super::{Source, TopologyError, archive, read};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Whether a line is recorded.
type Keep = fn(&str) -> bool;

/// Files of which only some lines matter; the others say more of a machine's owner than of its topology.
const SHORTENED: [(&str, Keep); 5] = [
    ("proc/self/mounts", is_group_mount),
    ("proc/mounts", is_group_mount),
    ("proc/self/status", |line| line.starts_with("Cpus_allowed") || line.starts_with("Mems_allowed")),
    ("proc/meminfo", |line| line.starts_with("MemTotal:")),
    ("proc/cpuinfo", |line| line.is_empty() || CPUINFO_FIELDS.iter().any(|field| line.starts_with(field))),
];
const CPUINFO_FIELDS: [&str; 7] =
    ["processor", "vendor_id", "cpu family", "model", "stepping", "physical id", "core id"];

/// Writes all that [`read`] reads, and nothing else, into a `.tar.gz` or else a new folder.
///
/// # Errors
/// As [`read`], or when it cannot be written or the folder is there already.
pub fn capture(source: &Source, path: &Path) -> Result<(), TopologyError> {
    let recorded = source.recorded();
    read(&recorded)?;
    let mut files = recorded.into_record();
    shorten(&mut files);
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = name.strip_suffix(".tar.gz").or_else(|| name.strip_suffix(".tgz"));
    let written = match stem {
        Some(stem) => archive::write(path, stem, &files),
        None => write_folder(path, &files),
    };
    written.map_err(|source| TopologyError::Write { path: path.to_owned(), source })
}

fn is_group_mount(line: &str) -> bool {
    line.split(' ').nth(2).is_some_and(|kind| matches!(kind, "cgroup" | "cgroup2" | "cpuset"))
}

fn shorten(files: &mut BTreeMap<String, Vec<u8>>) {
    for (path, keep) in SHORTENED {
        let Some(bytes) = files.get_mut(path) else { continue };
        let text = String::from_utf8_lossy(bytes);
        *bytes =
            text.lines().filter(|line| keep(line)).flat_map(|line| [line, "\n"]).collect::<String>().into();
    }
}

fn write_folder(folder: &Path, files: &BTreeMap<String, Vec<u8>>) -> std::io::Result<()> {
    fs::create_dir(folder)?;
    for (name, bytes) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        fs::write(path, bytes)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{open, testing};
    use crate::tree::Tree;

    #[test]
    fn a_recording_reads_as_the_machine_and_tells_no_more() {
        let files = testing::files(&testing::sample());
        let files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let tree = Tree::new(&files);
        tree.write(&[
            ("proc/self/mounts", "/dev/secret / ext4 rw 0 0\ncgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n"),
            ("proc/self/status", "Name:\tbash\nCpus_allowed_list:\t0-3\n"),
            ("proc/uptime", "1 1\n"),
        ]);
        let source = Source::folder(tree.roots());
        let expected = read(&source).unwrap();
        let target = tempfile::tempdir().unwrap();
        for name in ["machine.tar.gz", "machine"] {
            let path = target.path().join(name);
            capture(&source, &path).unwrap();
            assert_eq!(open(&path).unwrap(), expected, "{name}");
        }
        let folder = target.path().join("machine");
        let kept = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        assert_eq!(kept("proc/self/mounts"), "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n");
        assert_eq!(kept("proc/self/status"), "Cpus_allowed_list:\t0-3\n");
        assert!(!folder.join("proc/uptime").exists());
        assert!(matches!(capture(&source, &folder), Err(TopologyError::Write { .. })), "it is there already");
    }
}
