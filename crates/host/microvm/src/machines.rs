//! Runs plans, each in a machine of its own.

use crate::disk;
use crate::initramfs;
use crate::kernel::GuestKernel;
use crate::qemu::{Accelerator, Hypervisor, INITRAMFS, KERNEL, OWN_MEMORY, Purpose, STATE, Size};
use crate::relay::{self, Event, Receiver, Seen, Source, Streams, Watched, is_only_its_end};
use crate::template::{Parts, Template, last_words};
use crate::trees::measure;
use crate::wire::{Answer, Collect, Ended, Feed, Request};
use model::{Bytes, LimitKind, MachineUse, Nanos, Reading, RunEnd};
use rustix::fd::OwnedFd;
use rustix::fs::{Mode, OFlags, ResolveFlags};
use rustix::pipe::PipeFlags;
use sandbox::{Counter, Input, Mount, Output, Ran, RootView, RunIo, RunPlan, SandboxError, Slot, Workspace};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// Where a kernel for guests is unpacked, and where one may be installed.
const USUAL_FOLDERS: [&str; 2] = ["/var/lib/tauto/guest", "/"];
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
/// How long a machine may take for all but the run: its start, its input and its answer.
const AROUND_MAX: Nanos = Nanos::from_millis(60_000);
/// How many templates are kept. Each is about 100 MiB.
const TEMPLATES_MAX: usize = 4;
/// Copied into a machine, at most.
const TREES_MAX: Bytes = Bytes::from_mib(1024);

/// A hypervisor, a kernel for its guests, and the templates of machines that were needed so far.
#[derive(Debug)]
pub struct Machines {
    hypervisor: Hypervisor,
    kernel: GuestKernel,
    files: Mutex<Option<Arc<Workspace>>>,
    disks: Mutex<HashMap<PathBuf, Arc<Disk>>>,
    templates: Mutex<Vec<(Key, Arc<Template>)>>,
    /// The trees whose emulator is this machine's.
    emulators: Mutex<Vec<PathBuf>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Key {
    tree: PathBuf,
    size: Size,
}

#[derive(Debug)]
enum Disk {
    Kept(PathBuf),
    Made { path: PathBuf, _workspace: Workspace },
}

/// What it took to start a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Started {
    pub memory: Bytes,
    pub time: Nanos,
    /// What is read for each run.
    pub state: Bytes,
}

impl Disk {
    fn path(&self) -> &Path {
        match self {
            Self::Kept(path) | Self::Made { path, .. } => path,
        }
    }
}

impl Machines {
    /// Finds what machines need. The kernel is looked for below this folder, or where it usually is.
    ///
    /// # Errors
    /// With what is missing.
    pub fn find(folder: Option<&Path>) -> Result<Self, String> {
        let usual = USUAL_FOLDERS.map(Path::new);
        let folders = folder.as_ref().map_or(&usual[..], std::slice::from_ref);
        Ok(Self {
            hypervisor: Hypervisor::find()?,
            kernel: GuestKernel::find(folders)?,
            files: Mutex::default(),
            disks: Mutex::default(),
            templates: Mutex::default(),
            emulators: Mutex::default(),
        })
    }

    pub fn accelerator(&self) -> &Accelerator {
        &self.hypervisor.accelerator
    }

    /// Returns what is to be said where no processor executes the guest's instructions.
    pub fn warning(&self) -> Option<String> {
        match self.accelerator() {
            Accelerator::Kvm => None,
            Accelerator::Emulated { why } => Some(format!(
                "virtual machines are emulated: {why}; times in them say nothing about any machine"
            )),
        }
    }

    pub fn kernel(&self) -> &GuestKernel {
        &self.kernel
    }

    /// Returns the root of the slots in which machines run.
    pub fn container(&self) -> RootView {
        Parts::root(&self.hypervisor)
    }

    /// Uses this file, which is a squashfs of the tree, as the tree's disk.
    pub fn use_disk(&self, tree: &Path, file: &Path) {
        lock(&self.disks).insert(tree.to_owned(), Arc::new(Disk::Kept(file.to_owned())));
    }

    /// Lists the templates that are there.
    pub fn started(&self) -> Vec<Started> {
        let of = |(key, template): &(Key, Arc<Template>)| Started {
            memory: key.size.memory,
            time: template.time,
            state: template.state_size,
        };
        lock(&self.templates).iter().map(of).collect()
    }

    /// Runs a plan in a machine of its own, which sees this root, in a slot whose root is [`Self::container`].
    ///
    /// # Errors
    /// On an internal failure, or if the machine ended without an answer. A program that crashes or exceeds a limit is a result.
    pub fn run(
        &self,
        slot: &mut Slot,
        root: &RootView,
        plan: &RunPlan,
        io: RunIo,
    ) -> Result<Ran, SandboxError> {
        let RootView::Tree(tree) = root else {
            return Err(SandboxError::Plan {
                field: "root",
                why: "a virtual machine needs an image or a folder, not this machine's own toolchains"
                    .to_owned(),
            });
        };
        self.check_emulator(plan, tree)?;
        let (streams, mut request, paths) = request(plan, io.stdin, io.stdout, io.stderr)?;
        let size = size(plan, &request)?;
        let template = self.template(tree, size, slot.stop())?;
        let (files, disk) = (self.files()?, self.disk(tree)?);
        let parts = Parts { hypervisor: &self.hypervisor, files: files.path(), disk: disk.path() };
        let mut outer = parts.plan(size, Purpose::Run);
        outer.mounts.push(Mount {
            source: template.state.clone(),
            target: STATE.to_owned(),
            writable: false,
        });
        outer.cpus.clone_from(&plan.cpus);
        outer.limits.wall_time = plan.limits.wall_time.map(|wall| Nanos(wall.0.saturating_add(AROUND_MAX.0)));
        request.cpus = size.cpus;
        let writable: Vec<PathBuf> =
            plan.mounts.iter().filter(|mount| mount.writable).map(|mount| mount.source.clone()).collect();
        let ends = Ends::new(io.end_when)?;
        let began = relay::now();
        let (ran, fed, received, seen) = converse(slot, &outer, ends, (&request, &paths, streams, writable));
        let ran = ran?;
        let Some(answer) = seen.answer else {
            return unanswered(ran, plan, seen.is_ended, [fed.err(), received.err()]);
        };
        let machine = MachineUse {
            is_emulated: matches!(self.hypervisor.accelerator, Accelerator::Emulated { .. }),
            cpu_time: ran.result.usage.cpu_time,
            start_time: seen.begun_at.unwrap_or(began).saturating_sub(began),
            memory_peak: ran.result.usage.memory_peak.known().copied(),
        };
        match answer {
            Answer::Ran(ended) => {
                Ok(combined(ran, *ended, machine, (seen.stdout, seen.stderr), seen.answered_at))
            }
            Answer::CannotExecute { program, errno } => {
                Err(SandboxError::Exec { program, source: io::Error::from_raw_os_error(errno) })
            }
            Answer::Plan { why } => Err(SandboxError::Plan { field: "part for the guest", why }),
            Answer::Failed(why) => Err(SandboxError::Machine(format!("could not run the program: {why}"))),
        }
    }

    /// Checks that counts inside are those of the emulator that is named outside.
    fn check_emulator(&self, plan: &RunPlan, tree: &Path) -> Result<(), SandboxError> {
        let Some(Counter::Emulated(emulator)) = &plan.counter else { return Ok(()) };
        let mut checked = lock(&self.emulators);
        if checked.iter().any(|known| known == tree) {
            return Ok(());
        }
        let path = &emulator.path;
        let same = std::fs::read(path).and_then(|ours| Ok(ours == read_inside(tree, path)?));
        if !same.unwrap_or(false) {
            return Err(SandboxError::Plan {
                field: "counter",
                why: format!("{} of the image is missing or is not the one of this machine", path.display()),
            });
        }
        checked.push(tree.to_owned());
        Ok(())
    }

    fn template(
        &self,
        tree: &Path,
        size: Size,
        stop: Option<Arc<OwnedFd>>,
    ) -> Result<Arc<Template>, SandboxError> {
        let key = Key { tree: tree.to_owned(), size };
        // Held while it is made: who else needs the same waits for it.
        let mut templates = lock(&self.templates);
        if let Some(at) = templates.iter().position(|(known, _)| *known == key) {
            let found = templates.remove(at);
            let template = Arc::clone(&found.1);
            templates.push(found);
            return Ok(template);
        }
        let (files, disk) = (self.files()?, self.disk(tree)?);
        let parts = Parts { hypervisor: &self.hypervisor, files: files.path(), disk: disk.path() };
        let template = Arc::new(Template::make(&parts, size, stop)?);
        if templates.len() >= TEMPLATES_MAX {
            templates.remove(0);
        }
        templates.push((key, Arc::clone(&template)));
        Ok(template)
    }

    /// Returns the folder with the kernel and its first files.
    fn files(&self) -> Result<Arc<Workspace>, SandboxError> {
        let mut files = lock(&self.files);
        if let Some(files) = &*files {
            return Ok(Arc::clone(files));
        }
        let failed = |what: &str, error: io::Error| SandboxError::Machine(format!("has no {what}: {error}"));
        let kernel = std::fs::read(&self.kernel.image).map_err(|error| failed("kernel", error))?;
        let initramfs = initramfs::make(&self.kernel).map_err(|error| failed("first files", error))?;
        let size = (kernel.len() + initramfs.len()) as u64;
        let made = Workspace::new(Bytes(size + Bytes::from_mib(1).0), 16)?;
        made.write(KERNEL, &kernel)?;
        made.write(INITRAMFS, &initramfs)?;
        let made = Arc::new(made);
        *files = Some(Arc::clone(&made));
        Ok(made)
    }

    fn disk(&self, tree: &Path) -> Result<Arc<Disk>, SandboxError> {
        let mut disks = lock(&self.disks);
        if let Some(disk) = disks.get(tree) {
            return Ok(Arc::clone(disk));
        }
        let failed = |error: io::Error| {
            SandboxError::Machine(format!("has no disk with what is in {}: {error}", tree.display()))
        };
        let bytes = measure(tree, false).map_err(failed)?.bytes;
        let workspace = Workspace::new(Bytes(bytes.0 + Bytes::from_mib(16).0), 16)?;
        let path = workspace.write("disk", &[])?;
        let file = File::options().read(true).write(true).open(&path).map_err(failed)?;
        disk::write(tree, &file).map_err(failed)?;
        let made = Arc::new(Disk::Made { path, _workspace: workspace });
        disks.insert(tree.to_owned(), Arc::clone(&made));
        Ok(made)
    }
}

/// The ends of a machine's two pipes, and the events of its run.
struct Ends {
    to_machine: (OwnedFd, OwnedFd),
    from_machine: (OwnedFd, OwnedFd),
    end_when: Option<Arc<OwnedFd>>,
    /// The machine is to end.
    end: Event,
    /// The machine has ended.
    is_over: Event,
}

impl Ends {
    fn new(end_when: Option<Arc<OwnedFd>>) -> Result<Self, SandboxError> {
        let failed = |error: io::Error| SandboxError::Machine(format!("has no port: {error}"));
        let pipe = || rustix::pipe::pipe_with(PipeFlags::CLOEXEC).map_err(|error| failed(error.into()));
        Ok(Self {
            to_machine: pipe()?,
            from_machine: pipe()?,
            end_when,
            end: Event::new().map_err(failed)?,
            is_over: Event::new().map_err(failed)?,
        })
    }
}

type Talked = (Result<Ran, SandboxError>, io::Result<()>, io::Result<()>, Seen);

/// Starts a machine and talks to it until it has answered, or ended.
fn converse(
    slot: &mut Slot,
    outer: &RunPlan,
    ends: Ends,
    (request, paths, streams, writable): (&Request, &[PathBuf], Streams, Vec<PathBuf>),
) -> Talked {
    let Ends { to_machine: (for_machine, to), from_machine: (from, of_machine), end_when, end, is_over } =
        ends;
    let io = RunIo {
        stdin: Input::Descriptor(for_machine),
        stdout: Output::Descriptor(of_machine),
        stderr: Output::Capture,
        end_when: Some(end.descriptor()),
    };
    // What a guest sends beyond it, it should have refused to its run; standard error is cut at its own limit.
    let output_max = match keeps(request) {
        true => output_max(&request.plan).saturating_add(1 << 20),
        false => request.plan.limits.output.map_or(u64::MAX, |limit| limit.0.saturating_add(1 << 20)),
    };
    let is_over = &is_over;
    std::thread::scope(|scope| {
        let Streams { stdin, stdout, stderr } = streams;
        let feeder = scope.spawn(move || relay::feed(to, request, paths, stdin, is_over));
        let receiver = scope.spawn(move || {
            let mut seen = Seen::default();
            let from = Watched { from: File::from(from), end_when, end: end.clone(), is_ended: false };
            let receiver = Receiver { from, streams: [stdout, stderr], output_max, writable, is_over };
            let received = receiver.receive(&mut seen);
            // It has nothing more to do.
            end.happen();
            (received, seen)
        });
        let ran = slot.run(outer, io);
        is_over.happen();
        let failed = || io::Error::other("a thread of ours failed");
        let fed = feeder.join().unwrap_or_else(|_| Err(failed()));
        let (received, seen) = receiver.join().unwrap_or_else(|_| (Err(failed()), Seen::default()));
        (ran, fed, received, seen)
    })
}

/// Returns the streams of a run, what the guest is asked, and what is copied into it.
fn request(
    plan: &RunPlan,
    stdin: Input,
    stdout: Output,
    stderr: Output,
) -> Result<(Streams, Request, Vec<PathBuf>), SandboxError> {
    let failed = |path: &Path| {
        let path = path.display().to_string();
        move |error: io::Error| SandboxError::Machine(format!("cannot get {path}: {error}"))
    };
    let (stdin, feed) = Source::of(stdin).map_err(failed(Path::new("its input")))?;
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
    let request = Request {
        plan: plan.clone(),
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

/// Reads a file of a tree, whose links lead to its own files.
fn read_inside(tree: &Path, path: &Path) -> io::Result<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let tree = rustix::fs::open(tree, flags | OFlags::DIRECTORY, Mode::empty())?;
    let file =
        rustix::fs::openat2(&tree, path, flags | OFlags::NONBLOCK, Mode::empty(), ResolveFlags::IN_ROOT)?;
    let mut bytes = Vec::new();
    File::from(file).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns whether output is kept in memory.
fn keeps(request: &Request) -> bool {
    let is_kept = |collect: Collect| matches!(collect, Collect::Capture | Collect::Cut { .. });
    is_kept(request.stdout) || is_kept(request.stderr)
}

fn output_max(plan: &RunPlan) -> u64 {
    plan.limits.output.unwrap_or(DEFAULT_OUTPUT).min(DEFAULT_OUTPUT).0
}

/// Returns the size of the machine that a run needs.
fn size(plan: &RunPlan, request: &Request) -> Result<Size, SandboxError> {
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

/// Returns the result of a run whose machine has not answered.
fn unanswered(
    ran: Ran,
    plan: &RunPlan,
    is_ended: bool,
    errors: [Option<io::Error>; 2],
) -> Result<Ran, SandboxError> {
    let mut result = ran.result;
    match result.end {
        _ if is_ended => {}
        // The sandbox inside would have ended it long before; whatever keeps it from that is the run's doing.
        RunEnd::Limit(LimitKind::WallTime) => {}
        RunEnd::Limit(LimitKind::Memory) => {
            return Err(SandboxError::Machine("was ended for want of memory on this machine".to_owned()));
        }
        end => {
            let errors = errors.into_iter().flatten().filter(|error| !is_only_its_end(error));
            let why: Vec<String> = errors.map(|error| format!("it sent {error}")).collect();
            let why = if why.is_empty() { format!("it ended with {end}") } else { why.join(", ") };
            let said = last_words(&ran.stderr);
            return Err(SandboxError::Machine(format!("gave no answer: {why}{said}")));
        }
    }
    result.usage.memory_peak = Reading::unavailable("its virtual machine gave no answer");
    // The rest was the machine's own.
    if let Some(limit) = plan.limits.wall_time {
        result.usage.wall_time = result.usage.wall_time.min(limit);
    }
    Ok(Ran { result, stdout: Vec::new(), stderr: Vec::new(), ..ran })
}

/// Returns what both sides saw together. Times are the guest's, which the machine's CPU time bounds: the guest's clock goes on while
/// another has its CPU.
fn combined(
    outer: Ran,
    ended: Ended,
    machine: MachineUse,
    (stdout, stderr): (Vec<u8>, Vec<u8>),
    answered_at: Option<Nanos>,
) -> Ran {
    let mut result = outer.result;
    let mut usage = ended.usage;
    if usage.cpu_time > machine.cpu_time {
        usage.cpu_time = machine.cpu_time;
        usage.user_time = usage.user_time.map(|time| time.min(machine.cpu_time));
        usage.system_time = usage.user_time.clone().map(|time| machine.cpu_time.saturating_sub(time));
    }
    result.end = ended.end;
    result.usage = usage;
    result.evidence.throttled = ended.throttled;
    result.evidence.cpu_pressure = ended.cpu_pressure;
    result.evidence.migrations = ended.migrations;
    result.evidence.steal = ended.steal;
    result.evidence.machine = Some(machine);
    Ran {
        result,
        stdout,
        stderr,
        ended_at: answered_at.unwrap_or(outer.ended_at),
        guard_cpu_time: Nanos::ZERO,
    }
}

/// A panic elsewhere leaves what is kept as it was between two changes.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
