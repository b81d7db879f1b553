//! Records a machine, so that its topology can be read elsewhere.

use super::{Source, TopologyError, archive, read};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const CPUINFO_FIELDS: [&str; 7] =
    ["processor", "vendor_id", "cpu family", "model", "stepping", "physical id", "core id"];

/// Writes everything that [`read`] reads, also as masks, into a `.tar.gz` or a new folder.
///
/// # Errors
/// As [`read`], or when it cannot be written or the folder already exists.
pub fn capture(source: &Source, path: &Path) -> Result<(), TopologyError> {
    let recorded = source.recorded();
    read(&recorded)?;
    read_masks(&recorded);
    let mut files = recorded.into_record();
    for (name, bytes) in &mut files {
        let text = String::from_utf8_lossy(bytes);
        let lines = text.lines().filter(|line| is_kept(name, line));
        *bytes = lines.flat_map(|line| [line, "\n"]).collect::<String>().into();
    }
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = name.strip_suffix(".tar.gz").or_else(|| name.strip_suffix(".tgz"));
    let written = match stem {
        Some(stem) => archive::write(path, stem, &files),
        None => write_folder(path, &files),
    };
    written.map_err(|source| TopologyError::Write { path: path.to_owned(), source })
}

/// Returns whether a line matters; the others reveal more about a machine's owner than about its topology.
fn is_kept(path: &str, line: &str) -> bool {
    let starts_with = |names: &[&str]| names.iter().any(|name| line.starts_with(name));
    match path {
        "proc/self/mounts" | "proc/mounts" => {
            line.contains("cpuset") || line.split(' ').nth(2).is_some_and(|kind| kind == "cgroup2")
        }
        "proc/self/cgroup" => line.starts_with("0::") || line.contains("cpuset"),
        "proc/self/status" => starts_with(&["Cpus_allowed", "Mems_allowed"]),
        "proc/cpuinfo" => line.is_empty() || starts_with(&CPUINFO_FIELDS),
        _ => !path.ends_with("/meminfo") || line.contains("MemTotal:"),
    }
}

/// For every list also reads the mask of the same CPUs: hwloc reads only masks, and can then be compared.
fn read_masks(recorded: &Source) {
    for path in recorded.record() {
        let (folder, name) = path.rsplit_once('/').unwrap_or_default();
        let mask = match name {
            "cpulist" => "cpumap",
            "shared_cpu_list" => {
                recorded.text(&format!("{folder}/type"));
                "shared_cpu_map"
            }
            "core_cpus_list"
            | "thread_siblings_list"
            | "package_cpus_list"
            | "core_siblings_list"
            | "die_cpus_list"
            | "cluster_cpus_list" => name.trim_end_matches("_list"),
            _ => continue,
        };
        recorded.text(&format!("{folder}/{mask}"));
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
    use crate::{open, testing};
    use system::Roots;
    use test_tree::Tree;

    #[test]
    fn recording_reads_like_the_machine_and_contains_nothing_else() {
        let files = testing::files(&testing::sample());
        let files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let tree = Tree::new(&files);
        tree.write(&[
            ("proc/mounts", "/dev/secret / ext4 rw 0 0\ncgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n"),
            ("proc/self/status", "Name:\tbash\nCpus_allowed_list:\t0-3\n"),
            ("proc/uptime", "1 1\n"),
        ]);
        let source = Source::folder(Roots::under(tree.path()));
        let expected = read(&source).unwrap();
        let target = tempfile::tempdir().unwrap();
        for name in ["machine.tar.gz", "machine"] {
            let path = target.path().join(name);
            capture(&source, &path).unwrap();
            assert_eq!(open(&path).unwrap(), expected, "{name}");
        }
        let folder = target.path().join("machine");
        let kept = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        assert_eq!(kept("proc/mounts"), "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n");
        assert_eq!(kept("proc/self/status"), "Cpus_allowed_list:\t0-3\n");
        assert!(!folder.join("proc/uptime").exists());
        assert!(matches!(capture(&source, &folder), Err(TopologyError::Write { .. })), "it is there already");
    }
}
