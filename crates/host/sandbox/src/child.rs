//! The processes of a run: its init, and the main process up to the program's first instruction.
//!
//! Both are copies of the launcher, so they can use its memory freely; they end only by exec or exit.

#![allow(unsafe_code)]

use crate::Role;
use crate::affinity::{Affinity, bind_to_cpus};
use crate::clocks;
use crate::emulated;
use crate::in_flight::InFlight;
use crate::launcher::{StepResult, at, c_strings};
use crate::numbers::{self, Numbers};
use crate::plan::{BOX, WORK};
use crate::protocol::{Emulation, EndReport, Execution, MountTarget, ReapedUsage, RunRequest, Step};
use crate::seccomp::{self, Filter, Filters};
use crate::sys::{self, Cloned, Shareable, check};
use crate::user_namespace::{self, INSIDE_USER};
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use rustix::mount::MountFlags;
use std::collections::BTreeMap;
use std::ffi::{CString, c_char};
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering::SeqCst};

pub struct Container {
    pub users: BTreeMap<Role, User>,
    /// The host's /proc, for the out-of-memory score and the clocks only.
    pub host_proc: OwnedFd,
    pub made: ContainerFiles,
    /// Open files of the claims on the slot and its CPUs. A run's init closes its copies, and the program gets none.
    pub _claims: Vec<OwnedFd>,
    /// What keeps runs from sending descriptors.
    pub in_flight: InFlight,
    /// Whether the kernel's counters were moved on while it was built, for the only run in it.
    pub numbers_moved: bool,
}

impl Container {
    pub fn prepare(&mut self, request: &RunRequest) -> StepResult<()> {
        let user = self.host_user(request.role).map_err(at(Step::User))?;
        self.in_flight.exceed(request.role, user, &request.rlimits)
    }

    pub fn host_user(&self, role: Role) -> io::Result<u32> {
        self.users.get(&role).map(|user| user.host).ok_or_else(|| io::Error::from_raw_os_error(libc::EINVAL))
    }
}

/// Files that are made once, for all runs of a slot, and the root in which they can be changed.
pub struct ContainerFiles {
    pub root: OwnedFd,
    /// Relative to the root.
    pub paths: Vec<CString>,
}

/// A role's user on the host, and the namespace in which that user is user 1000.
pub struct User {
    pub host: u32,
    pub namespace: OwnedFd,
}

/// The init's and the main process's report to the launcher, on a page that all three share.
#[derive(Debug)]
pub struct Report {
    failed_step: AtomicU32,
    errno: AtomicI32,
    main_ended: AtomicU32,
    status: AtomicI32,
    executed_at_ns: AtomicU64,
    ended_at_ns: AtomicU64,
    setup_cpu_ns: AtomicU64,
    setup_instructions: AtomicU64,
    setup_minor_faults: AtomicU64,
    setup_voluntary_switches: AtomicU64,
    setup_forced_switches: AtomicU64,
    max_rss_bytes: AtomicU64,
    box_bytes: AtomicU64,
    minor_faults: AtomicU64,
    major_faults: AtomicU64,
    voluntary_switches: AtomicU64,
    forced_switches: AtomicU64,
    /// Stays from run to run.
    pub numbers: Numbers,
}

// SAFETY: only atomic numbers.
unsafe impl Shareable for Report {}

pub struct Prepared<'a> {
    request: &'a RunRequest,
    standard: [OwnedFd; 3],
    /// The events of its clock.
    clock: Vec<OwnedFd>,
    cgroup: Option<OwnedFd>,
    mounts: Vec<(OwnedFd, &'a MountTarget)>,
    argv: Vec<CString>,
    environment: Vec<CString>,
    /// The program's path, or all paths where it may be.
    candidates: Vec<CString>,
    working_directory: CString,
    filter: &'a Filter,
    /// The emulator's arguments, its descriptors, and the filter that lets it alone be executed.
    emulation: Option<(Vec<CString>, [OwnedFd; 2], Filter)>,
}

impl Report {
    pub fn clear(&self) {
        self.failed_step.store(0, SeqCst);
        self.main_ended.store(0, SeqCst);
        for field in [
            &self.executed_at_ns,
            &self.ended_at_ns,
            &self.setup_cpu_ns,
            &self.setup_instructions,
            &self.setup_minor_faults,
            &self.setup_voluntary_switches,
            &self.setup_forced_switches,
            &self.max_rss_bytes,
            &self.box_bytes,
            &self.minor_faults,
            &self.major_faults,
            &self.voluntary_switches,
            &self.forced_switches,
        ] {
            field.store(0, SeqCst);
        }
    }

    /// Returns when the program was executed, if it was, and what was used before.
    pub fn begun(&self) -> Option<Execution> {
        let at_ns = self.executed_at_ns.load(SeqCst);
        (at_ns > 0).then(|| Execution {
            at_ns,
            setup_cpu_ns: self.setup_cpu_ns.load(SeqCst),
            setup_instructions: self.setup_instructions.load(SeqCst),
        })
    }

    pub fn failure(&self) -> Option<(Step, i32)> {
        let step = Step::from_number(self.failed_step.load(SeqCst))?;
        Some((step, self.errno.load(SeqCst)))
    }

    pub fn ended(&self) -> EndReport {
        let less_setup =
            |total: &AtomicU64, setup: &AtomicU64| total.load(SeqCst).saturating_sub(setup.load(SeqCst));
        let reaped = (self.main_ended.load(SeqCst) == 1).then(|| ReapedUsage {
            status: self.status.load(SeqCst),
            at_ns: self.ended_at_ns.load(SeqCst),
            max_rss_bytes: self.max_rss_bytes.load(SeqCst),
            box_bytes: self.box_bytes.load(SeqCst),
            minor_faults: less_setup(&self.minor_faults, &self.setup_minor_faults),
            major_faults: self.major_faults.load(SeqCst),
            voluntary_switches: less_setup(&self.voluntary_switches, &self.setup_voluntary_switches),
            forced_switches: less_setup(&self.forced_switches, &self.setup_forced_switches),
        });
        EndReport { begun: self.begun(), reaped }
    }

    pub fn fail(&self, (step, error): &(Step, io::Error)) {
        self.errno.store(error.raw_os_error().unwrap_or(libc::EIO), SeqCst);
        self.failed_step.store(*step as u32, SeqCst);
    }

    /// Records what the setup has used, and that the program is executed now; `ahead_ns` is what this process's clock
    /// shows more than the machine's.
    fn set_up(&self, usage: &libc::rusage, ahead_ns: i64, clock: &[OwnedFd]) -> io::Result<()> {
        self.setup_cpu_ns.fetch_add(sys::clock_ns(libc::CLOCK_PROCESS_CPUTIME_ID), SeqCst);
        self.setup_minor_faults.store(usage.ru_minflt as u64, SeqCst);
        self.setup_voluntary_switches.store(usage.ru_nvcsw as u64, SeqCst);
        self.setup_forced_switches.store(usage.ru_nivcsw as u64, SeqCst);
        let now_ns = sys::clock_ns(libc::CLOCK_MONOTONIC).wrapping_add_signed(ahead_ns.wrapping_neg());
        for event in clock {
            let mut count = [0; 24];
            rustix::io::read(event, &mut count)?;
            let [count, ..] = count.as_chunks::<8>().0 else { continue };
            self.setup_instructions.fetch_add(u64::from_ne_bytes(*count), SeqCst);
        }
        self.executed_at_ns.store(now_ns, SeqCst);
        Ok(())
    }

    /// Adds the resources used by one reaped process and its waited-for children.
    fn add(&self, usage: &libc::rusage) {
        self.max_rss_bytes.fetch_max(usage.ru_maxrss as u64 * 1024, SeqCst);
        self.minor_faults.fetch_add(usage.ru_minflt as u64, SeqCst);
        self.major_faults.fetch_add(usage.ru_majflt as u64, SeqCst);
        self.voluntary_switches.fetch_add(usage.ru_nvcsw as u64, SeqCst);
        self.forced_switches.fetch_add(usage.ru_nivcsw as u64, SeqCst);
    }
}

impl<'a> Prepared<'a> {
    pub fn new(request: &'a RunRequest, fds: Vec<OwnedFd>, filters: &'a Filters) -> io::Result<Self> {
        let wrong = || io::Error::from_raw_os_error(libc::EINVAL);
        let mut fds = fds.into_iter();
        let mut next = || fds.next().ok_or_else(wrong);
        let standard = [next()?, next()?, next()?];
        let emulation = match &request.emulation {
            None => None,
            Some(emulation) => Some((
                c_strings(emulation.argv.iter().cloned())?,
                [next()?, next()?],
                seccomp::only_with_pass(emulation.pass),
            )),
        };
        let clock = (0..request.clock_events).map(|_| next()).collect::<io::Result<Vec<_>>>()?;
        let cgroup = if request.into_cgroup { Some(next()?) } else { None };
        let mounts =
            request.mounts.iter().map(|target| Ok((next()?, target))).collect::<io::Result<Vec<_>>>()?;
        let program = request.argv.first().ok_or_else(wrong)?;
        let candidates = if program.contains('/') {
            vec![program.clone()]
        } else {
            let path = request.environment.iter().find(|(name, _)| name == "PATH");
            let path = path.map_or("/usr/bin:/bin", |(_, value)| value.as_str());
            path.split(':').map(|folder| format!("{folder}/{program}")).collect()
        };
        Ok(Self {
            request,
            standard,
            clock,
            cgroup,
            mounts,
            argv: c_strings(request.argv.iter().cloned())?,
            environment: c_strings(
                request.environment.iter().map(|(name, value)| format!("{name}={value}")),
            )?,
            candidates: c_strings(candidates)?,
            working_directory: sys::c_string(&request.working_directory)?,
            filter: filters.of(request.seccomp),
            emulation,
        })
    }
}

/// The number of each run's main process in its PID namespace, however many processes have helped to build it.
const MAIN: i32 = 2;

/// Runs the init, the first process of a run's PID namespace: builds the run's mounts, clones the main process, reaps
/// everything, and ends with the main process; then the kernel ends all others.
pub fn init(container: &Container, report: &Report, prepared: &Prepared<'_>) -> ! {
    let code = match supervise_main(container, report, prepared) {
        Ok(()) => 0,
        Err(failure) => {
            report.fail(&failure);
            1
        }
    };
    // SAFETY: leaves at once; destructors and exit handlers belong to the launcher.
    unsafe { libc::_exit(code) }
}

fn supervise_main(container: &Container, report: &Report, prepared: &Prepared<'_>) -> StepResult<()> {
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))
        .map_err(at(Step::Clone))?;
    // The kernel should choose the run, not its launcher, which is in the same group in version 1. The program cannot undo
    // this: its /proc is read-only.
    go_first_when_memory_runs_out(&container.host_proc).map_err(at(Step::Proc))?;
    build_view(container, prepared)?;
    // Each session of the machine has a number, which a program sees in /proc/self/autogroup. The main process makes one;
    // so its number does not reveal how many runs there were.
    if numbers::random().map_err(at(Step::User))? % 2 == 0 {
        match rustix::process::setsid() {
            // The init of a single run, which no other follows, has one already.
            Ok(_) | Err(rustix::io::Errno::PERM) => {}
            Err(error) => return Err((Step::User, error.into())),
        }
    }
    let (cgroup, cpus) = (prepared.cgroup.as_ref().map(AsFd::as_fd), &prepared.request.cpus);
    // Each CPU has its own, so those of a run's own CPUs are moved on in any case.
    if !(container.numbers_moved && cpus.is_empty()) {
        move_numbers_on(report, cpus, cgroup)?;
    }
    let main = match sys::clone_as(MAIN, 0, cgroup).map_err(at(Step::ForkMain))? {
        Cloned::Child => {
            let failure = become_program(container, report, prepared);
            report.fail(&failure);
            // SAFETY: as in init.
            unsafe { libc::_exit(127) }
        }
        Cloned::Parent { pid, .. } => pid,
    };
    // From here on it only waits, so it needs no capabilities, and only the descriptors that no other process holds in a
    // single run.
    sys::drop_all_capabilities().map_err(at(Step::Capabilities))?;
    close_all_but(&container.in_flight.receivers()).map_err(at(Step::Descriptors))?;
    loop {
        let mut status = 0;
        // SAFETY: all zeroes is a valid value.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: waits for any child and stores its status and usage on this stack.
        let pid = check(unsafe { libc::wait4(-1, &raw mut status, 0, &raw mut usage) });
        let pid = match pid {
            Ok(pid) => pid as i32,
            Err(error) if error.raw_os_error() == Some(libc::EINTR) => continue,
            Err(error) => return Err((Step::Wait, error)),
        };
        report.add(&usage);
        if pid == main {
            report.ended_at_ns.store(sys::clock_ns(libc::CLOCK_MONOTONIC), SeqCst);
            report.status.store(status, SeqCst);
            // Measured here, while the box is as the program left it.
            let volume = rustix::fs::statvfs(BOX).map_err(at(Step::Wait))?;
            report.box_bytes.store((volume.f_blocks - volume.f_bfree) * volume.f_frsize, SeqCst);
            report.main_ended.store(1, SeqCst);
            return Ok(());
        }
    }
}

/// Moves the kernel's counters on, those of the run's CPU. Not in the program's process, whose clock of CPU time would show how
/// far the last run had moved them.
fn move_numbers_on(report: &Report, cpus: &[u32], cgroup: Option<BorrowedFd<'_>>) -> StepResult<()> {
    let own_cpus = Affinity::read().map_err(at(Step::Affinity))?;
    if bind_to_cpus(cpus).is_ok() {
        let start_ns = sys::clock_ns(libc::CLOCK_PROCESS_CPUTIME_ID);
        report.numbers.move_on().map_err(at(Step::Descriptors))?;
        // Without a group of its own the run is charged for its init.
        if cgroup.is_none() {
            let used_ns = sys::clock_ns(libc::CLOCK_PROCESS_CPUTIME_ID) - start_ns;
            report.setup_cpu_ns.store(used_ns, SeqCst);
        }
        return own_cpus.set().map_err(at(Step::Affinity));
    }
    // In version 2 only processes of the run's group may use its CPUs.
    let pid = match sys::clone(0, cgroup).map_err(at(Step::ForkMain))? {
        Cloned::Child => {
            let moved = bind_to_cpus(cpus).and_then(|()| report.numbers.move_on());
            // SAFETY: as in init.
            unsafe { libc::_exit(moved.err().map_or(0, |error| error.raw_os_error().unwrap_or(libc::EIO))) }
        }
        Cloned::Parent { pid, .. } => pid,
    };
    let mut status = 0;
    // SAFETY: all zeroes is a valid value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: waits for this child and stores its status and usage on this stack.
    check(unsafe { libc::wait4(pid, &raw mut status, 0, &raw mut usage) }).map_err(at(Step::Wait))?;
    let ns = |time: libc::timeval| time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1_000;
    report.setup_cpu_ns.store(ns(usage.ru_utime) + ns(usage.ru_stime), SeqCst);
    match libc::WEXITSTATUS(status) {
        0 if libc::WIFEXITED(status) => Ok(()),
        errno if libc::WIFEXITED(status) => Err((Step::Descriptors, io::Error::from_raw_os_error(errno))),
        _ => Err((Step::Descriptors, io::Error::from_raw_os_error(libc::EINTR))),
    }
}

/// Closes all descriptors of this process but some, which are in ascending order.
fn close_all_but(kept: &[i32]) -> io::Result<()> {
    let starts = std::iter::once(0).chain(kept.iter().map(|fd| fd + 1));
    let ends = kept.iter().map(|fd| fd - 1).chain([i32::MAX]);
    for (first, last) in starts.zip(ends).filter(|(first, last)| first <= last) {
        // SAFETY: closes descriptors for the program only; this process no longer uses them.
        check(unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) })?;
    }
    Ok(())
}

fn build_view(container: &Container, prepared: &Prepared<'_>) -> StepResult<()> {
    let request = prepared.request;
    let user = container.host_user(request.role).map_err(at(Step::User))?;
    let options =
        sys::c_string(&format!("mode=755,size={},nr_inodes={}", request.box_bytes, request.box_files))
            .map_err(at(Step::BoxTmpfs))?;
    rustix::mount::mount("box", BOX, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, options.as_c_str())
        .map_err(at(Step::BoxTmpfs))?;
    for name in ["work", "tmp", "home", "shm"] {
        make_box_folder(&format!("{BOX}/{name}"), user).map_err(at(Step::BoxTmpfs))?;
    }
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC | MountFlags::RDONLY;
    // Only processes: nothing of the host's memory, devices, interrupts or settings. The first process is hidden too,
    // since it is a copy of tauto, with its arguments.
    rustix::mount::mount("proc", "/proc", "proc", flags, c"subset=pid,hidepid=2").map_err(at(Step::Proc))?;
    // All that is not made for this run is as old as for any other.
    for path in &container.made.paths {
        sys::set_times(&container.made.root, path).map_err(at(Step::Root))?;
    }
    for (mount, target) in &prepared.mounts {
        attach(mount, target).map_err(at(Step::Mounts))?;
        if target.is_copied {
            copy(target, user).map_err(at(Step::Mounts))?;
        }
    }
    for (name, to) in &request.links {
        match std::os::unix::fs::symlink(to, format!("{WORK}/{name}")) {
            // A file of the case takes precedence over one of the program.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            other => other.map_err(at(Step::Mounts))?,
        }
    }
    if !request.work_writable {
        // The owner comes first: only the owner may change the mode without another capability.
        std::os::unix::fs::chown(WORK, Some(0), Some(0))
            .and_then(|()| fs::set_permissions(WORK, PermissionsExt::from_mode(0o555)))
            .map_err(at(Step::BoxTmpfs))?;
    }
    Ok(())
}

/// Has this process and its children killed before all others when memory runs out (proc(5)).
fn go_first_when_memory_runs_out(host_proc: &OwnedFd) -> io::Result<()> {
    let score = sys::open_at(host_proc, "self/oom_score_adj", rustix::fs::OFlags::WRONLY)?;
    rustix::io::write(&score, b"1000")?;
    Ok(())
}

fn make_box_folder(path: &str, user: u32) -> io::Result<()> {
    fs::create_dir(path)?;
    std::os::unix::fs::chown(path, Some(user), Some(user))
}

fn attach(mount: &OwnedFd, target: &MountTarget) -> io::Result<()> {
    if target.path.starts_with(BOX) {
        // Targets in the box are created; all others are part of the root.
        let path = Path::new(&target.path);
        if target.is_file {
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(path, "")?;
        } else {
            fs::create_dir_all(path)?;
        }
    }
    sys::attach_mount(mount, &target.path)
}

/// Puts a copy of a mounted file in the place of the mount, which the run's user may change and remove.
fn copy(target: &MountTarget, user: u32) -> io::Result<()> {
    let mut from = fs::File::open(&target.path)?;
    rustix::mount::unmount(target.path.as_str(), rustix::mount::UnmountFlags::DETACH)?;
    let mode = from.metadata()?.permissions().mode() & 0o111 | 0o644;
    let mut to = fs::File::create(&target.path)?;
    io::copy(&mut from, &mut to)?;
    to.set_permissions(fs::Permissions::from_mode(mode))?;
    // Before the owner changes: only the owner may set times without another capability.
    sys::set_times(rustix::fs::CWD, target.path.as_str())?;
    let folders = Path::new(&target.path).ancestors().take_while(|path| *path != Path::new(WORK));
    for path in folders {
        std::os::unix::fs::chown(path, Some(user), Some(user))?;
    }
    Ok(())
}

/// Turns this process into the program; returns only the reason for a failure.
fn become_program(container: &Container, report: &Report, prepared: &Prepared<'_>) -> (Step, io::Error) {
    let request = prepared.request;
    let prepare = || -> StepResult<i64> {
        rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))
            .map_err(at(Step::Clone))?;
        for (fd, number) in prepared.standard.iter().zip(0..) {
            // SAFETY: nothing in this copy of the launcher owns the numbers 0 to 2.
            check(unsafe { libc::dup2(fd.as_raw_fd(), number) }).map_err(at(Step::Descriptors))?;
        }
        // A new control group namespace, made inside the group: the program sees its group as "/".
        // SAFETY: this process has one thread.
        check(unsafe { libc::unshare(libc::CLONE_NEWCGROUP) }).map_err(at(Step::Namespaces))?;
        rustix::process::setsid().map_err(at(Step::User))?;
        bind_to_cpus(&request.cpus).map_err(at(Step::Affinity))?;
        for (resource, value) in &request.rlimits {
            set_limit(*resource, *value).map_err(at(Step::ResourceLimits))?;
        }
        // SAFETY: an empty list of groups; must come before the namespace, which denies it.
        check(unsafe { libc::setgroups(0, std::ptr::null()) }).map_err(at(Step::User))?;
        let namespace = container.users.get(&request.role);
        let namespace = namespace.ok_or_else(|| io::Error::from_raw_os_error(libc::EINVAL));
        let namespace = namespace.map_err(at(Step::JoinUserNamespace))?;
        user_namespace::join(&namespace.namespace).map_err(at(Step::JoinUserNamespace))?;
        let ahead_ns = clocks::enter(&container.host_proc).map_err(at(Step::Clocks))?;
        // SAFETY: plain values only.
        check(unsafe { libc::setresgid(INSIDE_USER, INSIDE_USER, INSIDE_USER) }).map_err(at(Step::User))?;
        // SAFETY: plain values only.
        check(unsafe { libc::setresuid(INSIDE_USER, INSIDE_USER, INSIDE_USER) }).map_err(at(Step::User))?;
        rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
        // As the program's user, so that it cannot start where it has no access.
        // SAFETY: the string is NUL-terminated and lives through the call.
        check(unsafe { libc::chdir(prepared.working_directory.as_ptr()) })
            .map_err(at(Step::WorkingDirectory))?;
        sys::drop_all_capabilities().map_err(at(Step::Capabilities))?;
        rustix::thread::set_no_new_privs(true).map_err(at(Step::Capabilities))?;
        // SAFETY: marks every descriptor but the standard three to be closed by exec.
        check(unsafe { libc::syscall(libc::SYS_close_range, 3, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) })
            .map_err(at(Step::Descriptors))?;
        sys::reset_signals().map_err(at(Step::User))?;
        if request.fixed_addresses {
            // SAFETY: a plain value.
            check(unsafe { libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong) })
                .map_err(at(Step::Addresses))?;
        }
        Ok(ahead_ns)
    };
    let ahead_ns = match prepare() {
        Ok(ahead_ns) => ahead_ns,
        Err(failure) => return failure,
    };
    let argv = pointers(&prepared.argv);
    let environment = pointers(&prepared.environment);
    // SAFETY: all zeroes is a valid value, and the kernel fills it.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage
    };
    if let Some((_, descriptors, filter)) = &prepared.emulation {
        if let Err(error) = emulated::place(descriptors) {
            return (Step::Descriptors, error);
        }
        if let Err(error) = filter.install() {
            return (Step::Seccomp, error);
        }
    }
    if let Err(error) = prepared.filter.install() {
        return (Step::Seccomp, error);
    }
    // Last: what comes after it is the same few instructions in every run.
    if let Err(error) = report.set_up(&usage, ahead_ns, &prepared.clock) {
        return (Step::Instructions, error);
    }
    let mut reason = io::Error::from_raw_os_error(libc::ENOENT);
    for candidate in &prepared.candidates {
        let error = match (&prepared.emulation, &request.emulation) {
            (Some((words, ..)), Some(Emulation { pass, .. })) => {
                emulated::execute(words, *pass, candidate, &prepared.argv, &prepared.environment)
            }
            _ => {
                // SAFETY: all strings are NUL-terminated and all lists end with a null pointer.
                unsafe { libc::execve(candidate.as_ptr(), argv.as_ptr(), environment.as_ptr()) };
                io::Error::last_os_error()
            }
        };
        if error.raw_os_error() != Some(libc::ENOENT) {
            reason = error;
        }
    }
    (Step::Exec, reason)
}

fn pointers(strings: &[CString]) -> Vec<*const c_char> {
    strings.iter().map(|text| text.as_ptr()).chain([std::ptr::null()]).collect()
}

pub fn set_limit(resource: u32, value: u64) -> io::Result<()> {
    // SAFETY: all zeroes is a valid value, and the kernel fills it.
    let mut held: libc::rlimit = unsafe { std::mem::zeroed() };
    // SAFETY: as above.
    check(unsafe { libc::getrlimit(resource, &raw mut held) })?;
    // A hard limit cannot be raised without a capability that containers rarely have; then the lower of the two is the
    // true value.
    let value = value.min(held.rlim_max);
    let limit = libc::rlimit { rlim_cur: value, rlim_max: value };
    // SAFETY: the structure lives through the call.
    check(unsafe { libc::setrlimit(resource, &raw const limit) })?;
    Ok(())
}
