//! Converts a plan to a request to the launcher.

use crate::counted_by::Counter;
use crate::emulated;
use crate::guard::Hold;
use crate::own_limits::{Limited, OwnLimits};
use crate::plan::RunPlan;
use crate::protocol::{MountTarget, RunRequest};
use crate::{SandboxError, sys};
use model::{Bytes, Nanos, REQUEST_BYTES_MAX, REQUEST_DESCRIPTORS_MAX};
use rustix::fd::OwnedFd;

/// Standard input, output and error, and a control group. What counts instructions is on top.
const OTHER_DESCRIPTORS: usize = 4;
/// Counts and plugin of an emulator, for which each run has room.
const COUNTER_DESCRIPTORS: usize = 2;
/// Limit on everything else in a message: numbers, and the CPUs of the largest machine.
const OTHER_BYTES: usize = 16 << 10;
/// How many descriptors a process may have open where the plan has no limit: the kernel's own default. Without a limit none
/// could be kept from being [sent](crate::in_flight).
pub(crate) const OPEN_FILES: u32 = 4096;

pub fn make(
    plan: &RunPlan,
    clock_events: usize,
    into_cgroup: bool,
    own: &OwnLimits,
) -> Result<(RunRequest, Vec<OwnedFd>), SandboxError> {
    if plan.argv.is_empty() {
        return Err(SandboxError::Plan { field: "argv", why: "there is no program to run".to_owned() });
    }
    check_room(plan, clock_events)?;
    let count = plan.mounts.len() + plan.copies.len();
    let (mut mounts, mut targets) = (Vec::with_capacity(count), Vec::with_capacity(count));
    let copied = plan.copies.iter().map(|copy| (&copy.source, &copy.target, false, true));
    let mounted = plan.mounts.iter().map(|mount| (&mount.source, &mount.target, mount.writable, false));
    for (source, target, writable, is_copied) in mounted.chain(copied) {
        // Only the folder itself: anything mounted below it, such as /proc below /, is left out.
        let usage = sys::MountUse { writable, ..Default::default() };
        mounts.push(sys::detached_mount(source, usage).map_err(SandboxError::file("mount", source))?);
        targets.push(MountTarget { path: target.clone(), is_file: !source.is_dir(), is_copied });
    }
    let limits = &plan.limits;
    let stack = limits.stack.or_else(|| limits.memory.map(|memory| default_stack(memory, physical_memory())));
    let emulation = plan.emulator();
    let emulation =
        emulation.map(|emulator| emulated::emulation(emulator, stack, &plan.plugins)).transpose()?;
    let stack = if emulation.is_some() { Some(emulated::THREAD_STACK) } else { stack };
    let file_size = limits.file_size.map(|size| size.0);
    own.allow(Limited::FileSize, file_size)?;
    if let Some(processes) = limits.processes {
        own.allow(Limited::Processes, Some(u64::from(processes)))?;
    }
    let mut rlimits = vec![
        // No core dumps: they would be unwanted files.
        (libc::RLIMIT_CORE, 0),
        // Queued signals, locked memory and message queues are kernel memory that outlives writes.
        (libc::RLIMIT_SIGPENDING, 1024),
        (libc::RLIMIT_MEMLOCK, 1 << 20),
        (libc::RLIMIT_MSGQUEUE, 1 << 20),
        (libc::RLIMIT_FSIZE, file_size.unwrap_or(libc::RLIM_INFINITY)),
    ];
    // Control groups limit these, so tauto's own resource limits must not.
    let addresses = emulated::addresses(plan).map_or(libc::RLIM_INFINITY, |addresses| addresses.0);
    for (limited, resource, value) in [
        (Limited::AddressSpace, libc::RLIMIT_AS, addresses),
        (Limited::Data, libc::RLIMIT_DATA, libc::RLIM_INFINITY),
    ] {
        own.allow(limited, None)?;
        rlimits.push((resource, value));
    }
    let seconds = cpu_backstop_seconds(plan);
    own.allow(Limited::CpuTime, seconds)?;
    rlimits.push((libc::RLIMIT_CPU, seconds.unwrap_or(libc::RLIM_INFINITY)));
    rlimits.push((libc::RLIMIT_NOFILE, u64::from(limits.open_files.unwrap_or(OPEN_FILES))));
    if let Some(size) = stack {
        own.allow(Limited::Stack, Some(size.0))?;
        rlimits.push((libc::RLIMIT_STACK, size.0));
    }
    let request = RunRequest {
        argv: plan.argv.clone(),
        environment: plan.environment.clone(),
        working_directory: plan.working_directory.clone(),
        role: plan.role,
        mounts: targets,
        links: plan.links.clone(),
        work_writable: plan.work_writable,
        box_bytes: limits.box_size.0,
        box_files: u64::from(limits.box_files),
        rlimits,
        cpus: plan.cpus.iter().flat_map(|cpus| cpus.iter().map(|cpu| cpu.0)).collect(),
        seccomp: plan.seccomp,
        emulation,
        clock_events: clock_events as u32,
        fixed_addresses: matches!(plan.counter, Some(Counter::Hardware(_))),
        into_cgroup,
    };
    Ok((request, mounts))
}

/// Returns the seconds of CPU time after which the kernel itself kills a process of the run, if tauto does not get to end
/// the run.
///
/// Kernels may count whole ticks of the scheduler for this, whichever program had most of the tick, so a program that sleeps most
/// of the time can be far above what it used. But a process can never have more than all of its CPUs for as long as the
/// run may take.
fn cpu_backstop_seconds(plan: &RunPlan) -> Option<u64> {
    /// The kernel counts in nanoseconds, of which 2^64 are 584 years.
    const SECONDS_MAX: u64 = 1_000_000_000;
    let (_, wall) = (plan.limits.cpu_time?, plan.limits.wall_time?);
    // While a guard holds the run, its wall time stands still, but ticks may go on.
    let longest = wall + Hold::PATIENCE_MAX + Nanos::from_millis(1_000);
    let seconds = longest.0.div_ceil(1_000_000_000).saturating_mul(plan.parallel());
    (seconds <= SECONDS_MAX).then_some(seconds)
}

/// Returns the default limit on the stack: as large as the memory, so that the memory limit bounds recursion. But C
/// libraries make the stack of every thread as large, and the kernel maps nothing larger than the machine's memory,
/// which no recursion could use either.
fn default_stack(memory: Bytes, physical: Bytes) -> Bytes {
    // A thread's mapping contains more than its stack.
    memory.min(Bytes(physical.0 - physical.0 / 64))
}

/// Returns the machine's memory and swap, against which the kernel checks a mapping (`vm.overcommit_memory` 0).
fn physical_memory() -> Bytes {
    let info = rustix::system::sysinfo();
    Bytes((info.totalram + info.totalswap) * u64::from(info.mem_unit))
}

fn check_room(plan: &RunPlan, clock_events: usize) -> Result<(), SandboxError> {
    const TEXT_BYTES_MAX: usize = REQUEST_BYTES_MAX - OTHER_BYTES;
    let refused = |field, why| Err(SandboxError::Plan { field, why });
    let count = plan.mounts.len() + plan.copies.len();
    let mounts_max = REQUEST_DESCRIPTORS_MAX - OTHER_DESCRIPTORS - clock_events.max(COUNTER_DESCRIPTORS);
    if count > mounts_max {
        return refused("mounts", format!("there are {count}, at most {mounts_max} are possible"));
    }
    let pairs = plan.environment.iter().chain(&plan.links).flat_map(|(one, other)| [one, other]);
    let copies = plan.copies.iter().map(|copy| &copy.target);
    let targets = plan.mounts.iter().map(|mount| &mount.target).chain(copies);
    let texts = plan.argv.iter().chain(targets).chain(pairs);
    // A length takes one byte for short texts and at most three; a mount takes two bytes more.
    let taken = |text: &String| text.len() + if text.len() < 128 { 1 } else { 3 };
    let bytes = texts.map(taken).sum::<usize>() + 2 * count;
    if bytes > TEXT_BYTES_MAX {
        let why = format!(
            "with environment and names of files it has {bytes} bytes, at most {TEXT_BYTES_MAX} are possible; \
             give large data as standard input or as a file"
        );
        return refused("argv", why);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{BOX, Mount, WORK};
    use crate::protocol::{self, Request};
    use model::{ARGUMENTS_BYTES_MAX, CASE_FILE_NAMES_BYTES_MAX, CASE_FILES_MAX};
    use rustix::fd::AsFd;
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

    /// Returns a plan with these arguments and this many files of a case, with names of the maximum length.
    fn plan(argv: Vec<String>, files: usize) -> RunPlan {
        let name = "x".repeat(CASE_FILE_NAMES_BYTES_MAX / CASE_FILES_MAX);
        let null = |target| Mount { source: "/dev/null".into(), target, writable: false };
        let mut plan = RunPlan::new(argv);
        plan.mounts = vec![null(format!("{BOX}/judge/answer")); 3];
        plan.mounts.extend((0..files).map(|_| null(format!("{WORK}/{name}"))));
        plan
    }

    #[test]
    fn largest_package_request_fits_in_one_message() {
        // One-byte arguments need the most room; an input validator gets its own and those of the case.
        let argv = vec!["x".to_owned(); 2 * (ARGUMENTS_BYTES_MAX / 2)];
        let plan = plan(argv, CASE_FILES_MAX);
        let (request, mounts) = make(&plan, COUNTER_DESCRIPTORS, true, &OwnLimits::read()).unwrap();
        let (ours, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None).unwrap();
        let others = vec![mounts[0].as_fd(); OTHER_DESCRIPTORS + COUNTER_DESCRIPTORS];
        let fds: Vec<_> = others.into_iter().chain(mounts.iter().map(AsFd::as_fd)).collect();
        protocol::send(&ours, &Request::Run(Box::new(request)), &fds).unwrap();
        let (_, received) = protocol::receive::<Request>(&theirs, &mut Vec::new()).unwrap().unwrap();
        assert_eq!(received.len(), fds.len());
    }

    #[test]
    fn the_kernels_limit_on_cpu_time_is_above_all_that_a_run_can_be_charged() {
        let backstop = |wall: Option<Nanos>, cpus: &str| {
            let mut plan = RunPlan::new(vec!["x".to_owned()]);
            plan.limits.cpu_time = Some(Nanos::from_millis(1));
            plan.limits.wall_time = wall;
            plan.cpus = Some(cpus.parse().unwrap());
            cpu_backstop_seconds(&plan)
        };
        assert_eq!(backstop(Some(Nanos::from_millis(1)), "0"), Some(4));
        assert_eq!(backstop(Some(Nanos::from_millis(2_000)), "0,3"), Some(10));
        assert_eq!(backstop(None, "0"), None);
        // The kernel would take the product for a small number.
        assert_eq!(backstop(Some(Nanos(u64::MAX)), "0"), None);
    }

    #[test]
    fn the_stack_is_as_large_as_memory_up_to_what_a_thread_can_have() {
        let gib = |count: u64| Bytes(count << 30);
        assert_eq!(default_stack(gib(2), gib(24)), gib(2));
        assert_eq!(default_stack(gib(32), gib(64)), gib(32));
        assert_eq!(default_stack(gib(64), gib(64)), gib(63));
        assert_eq!(default_stack(gib(1024), gib(64)), gib(63));
    }

    #[test]
    fn oversized_plan_names_the_part() {
        let words = |plan: &RunPlan| check_room(plan, 0).unwrap_err().to_string();
        assert_eq!(
            words(&plan(vec!["x".to_owned()], 300)),
            "the plan's mounts is not usable: there are 303, at most 247 are possible"
        );
        assert!(words(&plan(vec!["x".repeat(200_000)], 0)).contains("at most 147456 are possible"));
    }
}
