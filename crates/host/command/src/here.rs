//! What several commands need from the machine: its CPUs, and its folders of commands.

use anyhow::Context;
use model::CpuSet;
use std::path::PathBuf;

/// Lists the CPUs that this process may use.
pub fn allowed_cpus() -> anyhow::Result<CpuSet> {
    cpus::allowed_cpus().context("cannot read which CPUs are allowed")
}

/// Keeps this process, and every thread it starts from now on, on these CPUs.
pub fn stay_on(cpus: &CpuSet) -> anyhow::Result<()> {
    cpus::stay_on(cpus).with_context(|| format!("cannot move to {}, away from timed runs", cpus.named()))
}

/// Warns of a machine that is busy with something else: more threads than `usual` wanted a CPU in the last minute.
pub fn busy(usual: f64) -> Option<String> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    let load: f64 = text.split(' ').next()?.parse().ok()?;
    (load > usual).then(|| {
        format!(
            "before the start, {load:.1} threads wanted a CPU on average over the last minute: these numbers include what others did"
        )
    })
}

pub fn command_folders() -> Vec<PathBuf> {
    std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default()
}
