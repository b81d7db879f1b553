//! What a table of times must say about the machine that they were taken on.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;

/// The machine, as far as it bears on start-up times.
#[derive(Debug, Serialize)]
pub struct Host {
    pub processor: String,
    pub cpus: usize,
    pub kernel: String,
    pub control_groups: String,
    /// The number of programs that wanted to run, averaged over the last minute.
    pub load: String,
}

impl Host {
    pub fn read() -> Self {
        Self::from(Path::new("/proc"), Path::new("/sys"))
    }

    fn from(proc: &Path, sys: &Path) -> Self {
        let cpuinfo = fs::read_to_string(proc.join("cpuinfo")).unwrap_or_default();
        let pairs: Vec<(&str, &str)> = cpuinfo
            .lines()
            .filter_map(|line| line.split_once(':'))
            .map(|(key, value)| (key.trim(), value))
            .collect();
        let processor =
            pairs.iter().find(|(key, _)| *key == "model name").map(|(_, value)| value.trim().to_owned());
        let word = |path: &str| fs::read_to_string(proc.join(path)).ok().map(|text| text.trim().to_owned());
        let load = word("loadavg").and_then(|text| text.split_whitespace().next().map(str::to_owned));
        Self {
            processor: processor.unwrap_or_else(unknown),
            cpus: pairs.iter().filter(|(key, _)| *key == "processor").count(),
            kernel: word("sys/kernel/osrelease").unwrap_or_else(unknown),
            control_groups: control_groups(sys).to_owned(),
            load: load.unwrap_or_else(unknown),
        }
    }

    /// Prints a report as JSON, or its table below a sentence about the machine.
    pub fn show(&self, json: bool, report: &impl Serialize, table: impl FnOnce() -> String) -> Result<()> {
        if json {
            println!("{}", serde_json::to_string_pretty(report).context("cannot write the report as JSON")?);
        } else {
            println!("{}\n\n{}", self.sentence(), table());
        }
        Ok(())
    }

    /// One sentence for above a table.
    pub fn sentence(&self) -> String {
        format!(
            "{}, {} CPUs, Linux {}, control groups {}, load {} at the start.",
            self.processor, self.cpus, self.kernel, self.control_groups, self.load
        )
    }
}

fn unknown() -> String {
    "unknown".to_owned()
}

/// Returns which layout of control groups is mounted.
pub fn control_groups(sys: &Path) -> &'static str {
    let mount = sys.join("fs/cgroup");
    if mount.join("cgroup.controllers").exists() {
        "v2"
    } else if mount.join("unified/cgroup.controllers").exists() {
        "hybrid"
    } else if mount.join("memory").exists() {
        "v1"
    } else {
        "not mounted"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_made_up_machine_is_described() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let full = root.path().join(path);
            fs::create_dir_all(full.parent().unwrap()).unwrap();
            fs::write(full, text).unwrap();
        };
        write(
            "proc/cpuinfo",
            "processor\t: 0\nmodel name\t: Abacus 3\n\nprocessor\t: 1\nmodel name\t: Abacus 3\n",
        );
        write("proc/sys/kernel/osrelease", "6.1.0\n");
        write("proc/loadavg", "0.25 0.10 0.05 1/99 1234\n");
        write("sys/fs/cgroup/unified/cgroup.controllers", "");
        let host = Host::from(&root.path().join("proc"), &root.path().join("sys"));
        assert_eq!(
            host.sentence(),
            "Abacus 3, 2 CPUs, Linux 6.1.0, control groups hybrid, load 0.25 at the start."
        );
        assert_eq!(control_groups(&root.path().join("none")), "not mounted");
    }
}
