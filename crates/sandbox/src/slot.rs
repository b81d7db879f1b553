//! A slot: a place where one program at a time runs.

use crate::plan::{Role, RunPlan};
use crate::process::LauncherProcess;
use crate::protocol::{self, Answer, Belongings, MountTarget, RunRequest, Setup, Step};
use crate::root::RootView;
use crate::supervise::{Ran, RunIo, Supervision};
use crate::{SandboxError, sys, user_namespace, workspace};
use cgroup::{CgroupError, GroupLimits, Layout, SlotGroups};
use model::Bytes;
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::FlockOperation;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::thread::CapabilitySet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Where locks and mount points of ours are.
pub const RUN_FOLDER: &str = "/run/tauto";

/// More slots than any machine has CPUs to fill are a mistake.
const SLOTS_MAX: u32 = 1024;

/// How long what a run has left may take to go before everything is built anew.
const LEFTOVER_TIME_MAX: Duration = Duration::from_millis(300);

/// First of the host's users that slots use, [`USERS_PER_SLOT`] each. From 1,879,048,192 up no
/// distribution, systemd or container runtime assigns users (systemd, "Users, Groups, UIDs and GIDs").
const FIRST_USER: u32 = 0x7000_0000;
const USERS_PER_SLOT: u32 = 4;

/// What a slot is made of.
#[derive(Debug)]
pub struct SlotOptions {
    /// The root that its programs see.
    pub root: RootView,
    /// When this becomes readable, the present run is ended and no other is begun.
    pub stop: Option<Arc<OwnedFd>>,
    /// As whom programs may run.
    pub roles: Vec<Role>,
    /// A launcher that was started beforehand.
    pub launcher: Option<LauncherProcess>,
}

impl SlotOptions {
    /// Makes the usual options: every role, from a process that may have threads.
    pub fn new(root: RootView) -> Self {
        Self { root, stop: None, roles: Role::ALL.to_vec(), launcher: None }
    }
}

/// A place where one program at a time runs: a lock, control groups, users and a launcher.
#[derive(Debug)]
pub struct Slot {
    index: u32,
    groups: SlotGroups,
    launcher: LauncherProcess,
    buffer: Vec<u8>,
    options: SlotOptions,
    /// Something of the last run is still there that only a new container gets rid of.
    dirty: bool,
    /// Folders that runs could write. What lies in any other was not charged to this slot, and must not
    /// pass for what a run has left.
    written: Vec<PathBuf>,
    _lock: File,
}

impl Slot {
    /// Takes the first free slot of the machine and starts its launcher.
    ///
    /// # Errors
    /// When rights are missing, all slots are taken, or the container cannot be built.
    pub fn open(mut options: SlotOptions) -> Result<Self, SandboxError> {
        check_rights()?;
        let folder = Path::new(RUN_FOLDER);
        let root = folder.join("root");
        fs::create_dir_all(&root).map_err(SandboxError::file("create", &root))?;
        let (index, lock) = take_lock(folder)?;
        let launcher = options.launcher.take();
        let (groups, launcher) = build(index, &options, launcher)?;
        let mut slot = Self {
            index,
            groups,
            launcher,
            buffer: Vec::new(),
            options,
            dirty: false,
            written: Vec::new(),
            _lock: lock,
        };
        slot.expect_ready()?;
        Ok(slot)
    }

    fn expect_ready(&mut self) -> Result<(), SandboxError> {
        match self.receive()? {
            (Answer::Ready, _) => Ok(()),
            (Answer::Failed { step, errno }, _) => Err(step_failed(step, errno, "")),
            _ => Err(SandboxError::LauncherDied("it answered out of turn".to_owned())),
        }
    }

    /// Builds everything anew, so that nothing that a run has left reaches the next.
    fn renew(&mut self) -> Result<(), SandboxError> {
        self.launcher.end();
        self.groups.remove()?;
        (self.groups, self.launcher) = build(self.index, &self.options, None)?;
        self.dirty = false;
        self.written.clear();
        self.expect_ready()
    }

    /// Begins a run in the groups, once they are free of what an earlier one has left.
    fn begin(&mut self, plan: &RunPlan) -> Result<(), SandboxError> {
        if self.dirty {
            self.renew()?;
        }
        let limits = GroupLimits {
            memory: plan.limits.memory,
            processes: plan.limits.processes,
            cpus: plan.cpus.clone(),
        };
        let start = Instant::now();
        loop {
            match self.groups.begin(&limits, workspace::bytes_in_use(&self.written)) {
                Err(CgroupError::StillCharged { .. }) if start.elapsed() < LEFTOVER_TIME_MAX => {
                    self.groups.reclaim();
                    collect_socket_garbage();
                    std::thread::yield_now();
                }
                Err(CgroupError::StillCharged { .. }) => {
                    self.renew()?;
                    return Ok(self.groups.begin(&limits, Bytes(0))?);
                }
                result => return Ok(result?),
            }
        }
    }

    /// Gives the host's user that a role is in this slot.
    pub fn user(&self, role: Role) -> u32 {
        user(self.index, role)
    }

    /// Gives the slot's number on this machine.
    pub fn index(&self) -> u32 {
        self.index
    }

    /// Runs a program to its end.
    ///
    /// # Errors
    /// When we fail. A program that crashes or breaks a limit is a result.
    pub fn run(&mut self, plan: &RunPlan, io: RunIo) -> Result<Ran, SandboxError> {
        let (io, theirs) = io.open()?;
        self.begin(plan)?;
        // Until it has gone well: a launcher that died must not be asked again.
        self.dirty = true;
        self.written.retain(|folder| folder.exists());
        for mount in plan.mounts.iter().filter(|mount| mount.writable) {
            if !self.written.contains(&mount.source) {
                self.written.push(mount.source.clone());
            }
        }
        let (request, mounts) = self.request(plan)?;
        {
            let mut fds: Vec<_> = theirs.iter().map(AsFd::as_fd).collect();
            fds.extend(self.groups.clone_target());
            fds.extend(mounts.iter().map(AsFd::as_fd));
            protocol::send(&self.launcher.socket, &request, &fds)
                .map_err(SandboxError::system("send the run to the launcher"))?;
        }
        drop((theirs, mounts));
        let program = plan.argv.first().map_or("", String::as_str);
        let init = match self.receive()? {
            (Answer::Started, mut fds) => fds
                .pop()
                .ok_or_else(|| SandboxError::LauncherDied("it sent no handle of the run".to_owned()))?,
            (Answer::Failed { step, errno }, _) => return Err(self.give_up(step, errno, program)),
            _ => return Err(SandboxError::LauncherDied("it answered out of turn".to_owned())),
        };
        let mut supervision = Supervision::new(&self.groups, plan, io, init, self.options.stop.clone());
        supervision.watch(&self.launcher.socket)?;
        let io = supervision.into_io();
        let ended = match self.receive()? {
            (Answer::Ended(ended), _) => ended,
            (Answer::Failed { step, errno }, _) => return Err(self.give_up(step, errno, program)),
            _ => return Err(SandboxError::LauncherDied("it answered out of turn".to_owned())),
        };
        let used = self.groups.finish()?;
        self.dirty = ended.sockets_left;
        io.conclude(plan, &ended, &used)
    }

    fn request(&self, plan: &RunPlan) -> Result<(RunRequest, Vec<OwnedFd>), SandboxError> {
        if plan.argv.is_empty() {
            return Err(SandboxError::Plan { field: "argv", why: "there is no program to run".to_owned() });
        }
        let mut mounts = Vec::with_capacity(plan.mounts.len());
        let mut targets = Vec::with_capacity(plan.mounts.len());
        for mount in &plan.mounts {
            let detached = sys::detached_mount(&mount.source, mount.writable, false)
                .map_err(SandboxError::file("mount", &mount.source))?;
            mounts.push(detached);
            targets.push(MountTarget { path: mount.target.clone(), is_file: !mount.source.is_dir() });
        }
        let limits = &plan.limits;
        let mut rlimits = vec![
            // A dump of memory would be a file that nobody asked for.
            (libc::RLIMIT_CORE, 0),
            // Queued signals, locked memory and message queues are kernel memory that outlives writes.
            (libc::RLIMIT_SIGPENDING, 1024),
            (libc::RLIMIT_MEMLOCK, 1 << 20),
            (libc::RLIMIT_MSGQUEUE, 1 << 20),
        ];
        if let Some(size) = limits.file_size {
            rlimits.push((libc::RLIMIT_FSIZE, size.0));
        }
        if let Some(count) = limits.open_files {
            rlimits.push((libc::RLIMIT_NOFILE, u64::from(count)));
        }
        // The stack may be as large as memory, so that recursion is bounded by the memory limit.
        if let Some(size) = limits.stack.or(limits.memory) {
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
            into_cgroup: self.groups.clone_target().is_some(),
        };
        Ok((request, mounts))
    }

    fn receive(&mut self) -> Result<(Answer, Vec<OwnedFd>), SandboxError> {
        match protocol::receive(&self.launcher.socket, &mut self.buffer) {
            Ok(Some(message)) => Ok(message),
            Ok(None) => {
                let status = self.launcher.wait().map_or_else(|error| error.to_string(), |s| s.to_string());
                Err(SandboxError::LauncherDied(status))
            }
            Err(source) => Err(SandboxError::System { what: "hear from the launcher", source }),
        }
    }

    /// Puts the groups in order after a run that never began.
    fn give_up(&mut self, step: Step, errno: i32, program: &str) -> SandboxError {
        let failure = step_failed(step, errno, program);
        match self.groups.finish() {
            // That a program cannot be executed leaves nothing behind.
            Ok(_) => {
                self.dirty = step != Step::Exec;
                failure
            }
            Err(error) => error.into(),
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.launcher.end();
        // What cannot be removed now is removed when the slot is next opened.
        let _ = self.groups.remove();
    }
}

/// Makes a slot's groups and users, and a launcher that belongs to them.
fn build(
    index: u32,
    options: &SlotOptions,
    launcher: Option<LauncherProcess>,
) -> Result<(SlotGroups, LauncherProcess), SandboxError> {
    let launcher = match launcher {
        Some(launcher) => launcher,
        None => LauncherProcess::start()?,
    };
    let setup = Setup {
        root: options.root.entries().map_err(SandboxError::file("list the root", "/"))?,
        mount_point: format!("{RUN_FOLDER}/root"),
    };
    launcher.send(&setup, &[])?;
    // The launcher builds its container while its groups and users are made.
    let groups = SlotGroups::create(&Layout::detect()?, &format!("slot-{index}"))?;
    let entrances = groups.entrances()?;
    let users: Vec<_> = options.roles.iter().map(|role| (*role, user(index, *role))).collect();
    let namespaces: Vec<OwnedFd> = users
        .iter()
        .map(|(_, user)| user_namespace::make(*user))
        .collect::<Result<_, _>>()
        .map_err(|source| SandboxError::Step { step: Step::UserNamespace, source })?;
    let belongings = Belongings { groups: entrances.len() as u32, users };
    let fds: Vec<_> = entrances.iter().map(AsFd::as_fd).chain(namespaces.iter().map(AsFd::as_fd)).collect();
    launcher.send(&belongings, &fds)?;
    Ok((groups, launcher))
}

/// Closing a socket makes the kernel look for sockets that only hold each other.
pub(crate) fn collect_socket_garbage() {
    // Without descriptors left there is nothing to close, either.
    drop(socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None));
}

fn user(slot: u32, role: Role) -> u32 {
    FIRST_USER + slot * USERS_PER_SLOT + role.index()
}

fn step_failed(step: Step, errno: i32, program: &str) -> SandboxError {
    let source = std::io::Error::from_raw_os_error(errno);
    match step {
        Step::Exec => SandboxError::Exec { program: program.to_owned(), source },
        Step::WorkingDirectory => {
            SandboxError::Plan { field: "working directory", why: format!("it cannot be entered: {source}") }
        }
        step => SandboxError::Step { step, source },
    }
}

/// Checks that this process may do what a sandbox needs.
pub(crate) fn check_rights() -> Result<(), SandboxError> {
    let needed = [
        (CapabilitySet::SYS_ADMIN, "CAP_SYS_ADMIN"),
        (CapabilitySet::SETUID, "CAP_SETUID"),
        (CapabilitySet::SETGID, "CAP_SETGID"),
        (CapabilitySet::CHOWN, "CAP_CHOWN"),
        (CapabilitySet::DAC_OVERRIDE, "CAP_DAC_OVERRIDE"),
        (CapabilitySet::KILL, "CAP_KILL"),
        (CapabilitySet::SETPCAP, "CAP_SETPCAP"),
    ];
    let held = rustix::thread::capabilities(None).map_err(SandboxError::system("read our capabilities"))?;
    let missing: Vec<&str> = needed
        .into_iter()
        .filter(|(capability, _)| !held.effective.contains(*capability))
        .map(|(_, name)| name)
        .collect();
    if missing.is_empty() { Ok(()) } else { Err(SandboxError::MissingRights(missing.join(", "))) }
}

/// Locks the first slot that no other process holds; the lock goes with the process.
fn take_lock(folder: &Path) -> Result<(u32, File), SandboxError> {
    for index in 0..SLOTS_MAX {
        let path: PathBuf = folder.join(format!("slot-{index}.lock"));
        let lock = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(SandboxError::file("open the lock", &path))?;
        match rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok((index, lock)),
            Err(rustix::io::Errno::WOULDBLOCK) => {}
            Err(error) => return Err(SandboxError::file("lock", &path)(error.into())),
        }
    }
    Err(SandboxError::NoFreeSlot(SLOTS_MAX))
}
