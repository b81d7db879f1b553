//! What a guest is asked, and the machine that it needs for that.

use crate::qemu::{OWN_MEMORY, Size};
use crate::relay::{self, Source, Streams};
use crate::trees::measure;
use crate::wire::{Collect, Feed, Request};
use model::{Bytes, Nanos};
use sandbox::{Counter, Input, Output, RunPlan, SandboxError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// What a guest needs for itself: its kernel, this program, and what they keep of the disk.
const GUEST_MEMORY: Bytes = Bytes::from_mib(256);
/// The smallest machine. Each next one has twice as much, so that few templates serve all limits.
const SMALLEST: Bytes = Bytes::from_mib(512);
/// For a run without a limit on memory.
const DEFAULT_MEMORY: Bytes = Bytes::from_mib(1024);
/// Output that is kept, where no limit is set.
const DEFAULT_OUTPUT: Bytes = Bytes::from_mib(256);
/// Machines with more processors take longer than they gain.
const CPUS_MAX: u32 = 8;
/// Copied into a machine, at most.
const TREES_MAX: Bytes = Bytes::from_mib(1024);

/// Returns the streams of a run, what the guest is asked, and what is copied into it.
pub fn request(
    plan: &RunPlan,
    stdin: Input,
    stdout: Output,
    stderr: Output,
) -> Result<(Streams, Request, Vec<PathBuf>), SandboxError> {
    let failed = |path: &Path| {
        let path = path.display().to_string();
        move |error: io::Error| SandboxError::Machine(format!("cannot get {path}: {error}"))
    };
    let (stdin, feed) = Source::of(stdin)?;
    let ((stdout, stdout_terms), (stderr, stderr_terms)) = (relay::output(stdout), relay::output(stderr));
    let mut trees = Vec::new();
    let mut paths = Vec::new();
    for mount in &plan.mounts {
        trees.push(measure(&mount.source, mount.writable).map_err(failed(&mount.source))?);
        paths.push(mount.source.clone());
    }
    for copy in &plan.copies {
        trees.push(measure(&copy.source, false).map_err(failed(&copy.source))?);
        paths.push(copy.source.clone());
    }
    let mut seed = [0; 32];
    let filled = rustix::rand::getrandom(&mut seed, rustix::rand::GetRandomFlags::empty());
    filled.map_err(|error| SandboxError::Machine(format!("has no random numbers: {error}")))?;
    let emulator = match &plan.counter {
        None => None,
        Some(Counter::Emulated(emulator)) => Some(emulator.clone()),
        Some(Counter::Hardware(_)) => {
            return Err(SandboxError::Plan {
                field: "counter",
                why: "the processor's counter is not in virtual machines; count by an emulator, which the image needs"
                    .to_owned(),
            });
        }
    };
    let mut sent = plan.clone();
    // The guest has its own paths.
    sent.mounts.iter_mut().for_each(|mount| mount.source = PathBuf::new());
    sent.copies.iter_mut().for_each(|copy| copy.source = PathBuf::new());
    let request = Request {
        plan: sent,
        emulator,
        trees,
        cpus: 1,
        stdin: feed,
        stdout: stdout_terms,
        stderr: stderr_terms,
        seed,
        time: SystemTime::now().duration_since(UNIX_EPOCH).map_or(Nanos::ZERO, Nanos::from),
    };
    Ok((Streams { stdin, stdout, stderr }, request, paths))
}

/// Returns whether output is kept in memory.
pub fn keeps(request: &Request) -> bool {
    let is_kept = |collect: Collect| matches!(collect, Collect::Capture | Collect::Cut { .. });
    is_kept(request.stdout) || is_kept(request.stderr)
}

pub fn output_max(plan: &RunPlan) -> u64 {
    plan.limits.output.unwrap_or(DEFAULT_OUTPUT).0
}

/// Returns the size of the machine that a run needs.
pub fn size(plan: &RunPlan, request: &Request) -> Result<Size, SandboxError> {
    let read_only = request.trees.iter().filter(|tree| !tree.writable);
    let trees = read_only.fold(0_u64, |sum, tree| sum.saturating_add(tree.bytes.0));
    if trees > TREES_MAX.0 {
        return Err(SandboxError::Plan {
            field: "mounts",
            why: format!(
                "they hold {}, and at most {TREES_MAX} are copied into a virtual machine",
                Bytes(trees)
            ),
        });
    }
    let input = match request.stdin {
        Feed::Whole(bytes) => bytes.saturating_mul(2),
        Feed::Empty | Feed::Live => 0,
    };
    let is_kept = keeps(request);
    let needed = [
        GUEST_MEMORY.0,
        plan.limits.memory.unwrap_or(DEFAULT_MEMORY).0,
        // What is kept of it grows by doubling.
        if is_kept { output_max(plan).saturating_mul(2) } else { 0 },
        trees,
        input,
    ];
    let needed = needed.into_iter().fold(0_u64, u64::saturating_add);
    let info = rustix::system::sysinfo();
    let there = (info.totalram as u64).saturating_mul(u64::from(info.mem_unit)).saturating_sub(OWN_MEMORY.0);
    let memory = Bytes(memory_for(needed, there));
    let cpus = plan.cpus.as_ref().map_or(1, |cpus| cpus.len()) as u32;
    Ok(Size { memory, cpus: cpus.clamp(1, CPUS_MAX) })
}

/// Returns the memory of a machine that needs this much, where there is only so much. A limit above what is there limits nothing.
fn memory_for(needed: u64, there: u64) -> u64 {
    const MIB: u64 = 1 << 20;
    let mut memory = SMALLEST.0;
    while memory < needed && memory < there {
        memory = memory.saturating_mul(2);
    }
    if memory <= there { memory } else { needed.min(there).div_ceil(MIB).min(there / MIB) * MIB }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_sizes_serve_all_limits_and_none_is_above_what_is_there() {
        let mib = |needed: u64, there: u64| memory_for(needed << 20, there << 20) >> 20;
        assert_eq!(mib(300, 24_000), 512);
        assert_eq!(mib(512, 24_000), 512);
        assert_eq!(mib(513, 24_000), 1024);
        assert_eq!(mib(17_000, 24_000), 17_000);
        assert_eq!(mib(1 << 20, 24_000), 24_000);
        assert_eq!(memory_for(u64::MAX, 24_000 << 20) >> 20, 24_000);
    }
}
