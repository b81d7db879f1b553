//! Whether the kernel's own work leaves quiet CPUs, and is restored.

use crate::table::{Row, outcome};
use allocator::Request;
use anyhow::{Context, Result, ensure};
use cpus::{CpuLease, LeaseError, QuietCpus, Registry};
use model::CpuSet;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use system::task::Stat;

const LEASES: &str = "/run/tautochrone-quiet-suite";

/// The CPUs of each interrupt and kernel thread, by the file that lists them.
type Work = BTreeMap<PathBuf, CpuSet>;

/// Makes a CPU quiet for a while, and kills a process that did so.
pub fn run() -> Vec<Row> {
    let alone = match alone() {
        Ok(lease) => lease,
        Err(error) => return vec![outcome("quiet-cpus-are-left", Err(error))],
    };
    let rows = vec![
        outcome("quiet-cpus-are-left", are_left()),
        outcome("quiet-cpus-end-with-a-kill", end_with_a_kill()),
    ];
    drop(alone);
    // Its content is not needed afterwards.
    let _ = fs::remove_dir_all(LEASES);
    rows
}

/// Leases every CPU, so that no other process moves the kernel's work meanwhile; waits for those that do so now.
fn alone() -> Result<CpuLease> {
    let registry = Registry::here()?;
    let all = registry.topology().allowed.clone();
    loop {
        match registry.take_these(&all) {
            Err(LeaseError::Taken { holders, .. }) => {
                eprintln!("waits for all CPUs: {}", holders[0]);
                registry.wait_for(&all)?;
            }
            taken => return Ok(taken?),
        }
    }
}

pub fn be_quiet_until_killed() -> Result<()> {
    let registry = registry()?;
    let lease = registry.take(&Request::timed(NonZeroU32::MIN))?;
    let _quiet = QuietCpus::hold(&registry, &lease.whole_cores());
    println!("{}", lease.whole_cores());
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

fn are_left() -> Result<()> {
    let registry = registry()?;
    let before = work()?;
    let lease = registry.take(&Request::timed(NonZeroU32::MIN))?;
    let cpus = lease.whole_cores();
    let quiet = QuietCpus::hold(&registry, &cpus);
    ensure!(quiet.warnings().iter().all(|warning| !warning.contains("interrupts")), "{:?}", quiet.warnings());
    ensure_left(&before, &cpus)?;
    drop(quiet);
    ensure_back(&before)
}

fn end_with_a_kill() -> Result<()> {
    let before = work()?;
    let mut holder = Command::new("/proc/self/exe")
        .arg("be-quiet-until-killed")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut line = String::new();
    BufReader::new(holder.stdout.take().context("it has no output")?).read_line(&mut line)?;
    let left = ensure_left(&before, &line.parse()?);
    holder.kill()?;
    holder.wait()?;
    left?;
    ensure!(ensure_back(&before).is_err(), "nothing was moved any more when the holder was killed");
    QuietCpus::give_left_back(&registry()?)?;
    ensure_back(&before)
}

fn registry() -> Result<Registry> {
    Ok(Registry::new(LEASES, Registry::here()?.topology().clone()))
}

fn ensure_left(before: &Work, cpus: &CpuSet) -> Result<()> {
    let now = work()?;
    let mut moved = 0;
    for (file, was) in before {
        let Some(is) = now.get(file) else { continue };
        moved += usize::from(is != was);
        // The kernel does not show whether an interrupt may be moved.
        let may_stay = is == was && file.starts_with("/proc/irq");
        ensure!(may_stay || is.intersection(cpus).is_empty(), "{} is still {is}", file.display());
    }
    ensure!(moved > 0, "nothing has left CPUs {cpus}");
    Ok(())
}

/// Returns whether everything is where it was; what has ended since does not count.
fn ensure_back(before: &Work) -> Result<()> {
    let now = work()?;
    for (file, was) in before {
        let is = now.get(file).unwrap_or(was);
        ensure!(is == was, "{} was {was} and is {is}", file.display());
    }
    Ok(())
}

fn work() -> Result<Work> {
    let mut work = Work::new();
    for folder in numbered(Path::new("/proc/irq"))? {
        let file = folder.join("smp_affinity_list");
        if let Ok(list) = fs::read_to_string(&file) {
            work.insert(file, list.parse()?);
        }
    }
    for folder in numbered(Path::new("/proc"))? {
        let stat = Stat::read(&folder);
        if stat.is_some_and(|stat| stat.is_kernel_thread() == Some(true) && stat.is_bound() == Some(false)) {
            let file = folder.join("status");
            let status = fs::read_to_string(&file).unwrap_or_default();
            if let Some(list) = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")) {
                work.insert(file, list.parse()?);
            }
        }
    }
    Ok(work)
}

fn numbered(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let is_number = |entry: &fs::DirEntry| {
        entry.file_name().to_str().is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
    };
    Ok(entries.flatten().filter(is_number).map(|entry| entry.path()).collect())
}
