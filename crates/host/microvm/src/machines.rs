//! Runs plans, each in a machine of its own.

use crate::disk;
use crate::initramfs;
use crate::kernel::GuestKernel;
use crate::qemu::{Accelerator, Hypervisor, INITRAMFS, KERNEL, OWN_MEMORY, Purpose, STATE, Size};
use crate::relay::{self, Event, Receiver, Seen, Source, Streams, Watched, is_only_its_end};
use crate::template::{Parts, Template, last_words};
use crate::trees::measure;
use crate::wire::{Answer, Collect, Ended, Feed, Request};
use model::{Bytes, LimitKind, MachineUse, Nanos, Reading, RunEnd, Usage};
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
/// How much longer than the limit on wall time a machine whose run has begun may say nothing.
const SILENCE: Nanos = Nanos::from_millis(15_000);
/// CPU time that a machine uses by itself, besides parts of the run's and of the time it takes.
const BY_ITSELF: Nanos = Nanos::from_millis(500);
/// The highest number of an error (errno(3)).
const ERRNO_MAX: i32 = 133;
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
        self.prepare(slot, root, plan, io)?.run(slot)
    }

    /// Does all that comes before the run, which may take seconds: a template is made where there is none.
    pub fn prepare(
        &self,
        slot: &Slot,
        root: &RootView,
        plan: &RunPlan,
        io: RunIo,
    ) -> Result<Prepared, SandboxError> {
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
        request.cpus = size.cpus;
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
        let is_emulated = matches!(self.hypervisor.accelerator, Accelerator::Emulated { .. });
        let (plan, end_when) = (plan.clone(), io.end_when);
        Ok(Prepared {
            plan,
            outer,
            size,
            is_emulated,
            streams,
            request,
            paths,
            end_when,
            _parts: (template, files, disk),
        })
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

/// A run whose machine can be started.
pub struct Prepared {
    plan: RunPlan,
    /// The plan of its hypervisor.
    outer: RunPlan,
    size: Size,
    is_emulated: bool,
    streams: Streams,
    request: Request,
    paths: Vec<PathBuf>,
    end_when: Option<Arc<OwnedFd>>,
    /// What the hypervisor's plan names.
    _parts: (Arc<Template>, Arc<Workspace>, Arc<Disk>),
}

/// What both sides did: the hypervisor's run, sending, receiving.
type Talked = (Ran, io::Result<()>, io::Result<()>, Seen);

impl Prepared {
    pub fn run(mut self, slot: &mut Slot) -> Result<Ran, SandboxError> {
        let began = relay::now();
        let (ran, fed, received, seen) = self.converse(slot)?;
        let view = View {
            began,
            begun_at: seen.begun_at,
            answered_at: seen.answered_at.unwrap_or(ran.ended_at),
            cpus: self.outer.parallel(),
            cpu_time: ran.result.usage.cpu_time,
            memory: self.size.memory,
        };
        let machine = MachineUse {
            is_emulated: self.is_emulated,
            cpu_time: view.cpu_time,
            start_time: seen.begun_at.unwrap_or(began).saturating_sub(began),
            memory_peak: ran.result.usage.memory_peak.known().copied(),
        };
        match seen.answer {
            None => {
                let ended = (seen.is_ended, seen.is_late);
                unanswered(ran, &self.plan, &view, ended, [fed.err(), received.err()])
            }
            Some(Answer::Ran(ended)) => {
                Ok(combined(ran, *ended, &self.plan, &view, machine, (seen.stdout, seen.stderr)))
            }
            Some(Answer::CannotExecute { program, errno }) => Err(SandboxError::Exec {
                program: short(&program),
                source: io::Error::from_raw_os_error(errno.clamp(1, ERRNO_MAX)),
            }),
            Some(Answer::LeftBehind { why }) => Err(SandboxError::LeftBehind(short(&why))),
            Some(Answer::Plan { why }) => {
                Err(SandboxError::Plan { field: "part for the guest", why: short(&why) })
            }
            Some(Answer::Failed(why)) => {
                Err(SandboxError::Machine(format!("could not run the program: {}", short(&why))))
            }
        }
    }

    /// Starts the machine and talks to it until it has answered, or ended.
    fn converse(&mut self, slot: &mut Slot) -> Result<Talked, SandboxError> {
        let failed = |error: io::Error| SandboxError::Machine(format!("has no port: {error}"));
        let pipe = || rustix::pipe::pipe_with(PipeFlags::CLOEXEC).map_err(|error| failed(error.into()));
        let ((for_machine, to), (from, of_machine)) = (pipe()?, pipe()?);
        let (end, is_over) = (Event::new().map_err(failed)?, Event::new().map_err(failed)?);
        let io = RunIo {
            stdin: Input::Descriptor(for_machine),
            stdout: Output::Descriptor(of_machine),
            stderr: Output::Capture,
            end_when: Some(end.descriptor()),
        };
        // What a guest sends beyond it, it should have refused to its run; standard error is cut at its own limit.
        let output_max = match keeps(&self.request) {
            true => output_max(&self.plan),
            false => self.plan.limits.output.map_or(u64::MAX, |limit| limit.0),
        };
        let silence_max = self.plan.limits.wall_time.map(|wall| Nanos(wall.0.saturating_add(SILENCE.0)));
        let writable = self.plan.mounts.iter().filter(|mount| mount.writable);
        let writable = writable.map(|mount| mount.source.clone()).collect();
        let Streams { stdin, stdout, stderr } = std::mem::take(&mut self.streams);
        let from = Watched::new(from, self.end_when.take(), end.clone(), silence_max);
        let output_max = output_max.saturating_add(1 << 20);
        let receiver = Receiver::new(from, [stdout, stderr], output_max, writable, &is_over)?;
        let (sent, is_over) = ((&self.request, &self.paths[..]), &is_over);
        std::thread::scope(|scope| {
            let feeder = {
                let end = end.clone();
                scope.spawn(move || relay::feed(to, sent, stdin, &end, is_over))
            };
            let receiver = scope.spawn(move || {
                let mut seen = Seen::default();
                let received = receiver.receive(&mut seen);
                // It has nothing more to do.
                end.happen();
                (received, seen)
            });
            let ran = slot.run(&self.outer, io);
            is_over.happen();
            let failed = || io::Error::other("a thread of ours failed");
            let fed = feeder.join().unwrap_or_else(|_| Err(failed()));
            let (received, seen) = receiver.join().unwrap_or_else(|_| (Err(failed()), Seen::default()));
            Ok((ran?, fed, received, seen))
        })
    }
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
    plan.limits.output.unwrap_or(DEFAULT_OUTPUT).0
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

/// What the host knows of a run's machine.
struct View {
    began: Nanos,
    begun_at: Option<Nanos>,
    answered_at: Nanos,
    cpus: u64,
    /// What the hypervisor used in all.
    cpu_time: Nanos,
    memory: Bytes,
}

impl View {
    /// Returns how long the run can have taken.
    fn interval(&self) -> Nanos {
        self.answered_at.saturating_sub(self.begun_at.unwrap_or(self.began))
    }

    /// Returns the CPU time that the machine used at least since the run had begun: before, it cannot have used more than there was.
    fn used_since(&self) -> Nanos {
        let before = self.begun_at.unwrap_or(self.answered_at).saturating_sub(self.began);
        self.cpu_time.saturating_sub(Nanos(before.0.saturating_mul(self.cpus)))
    }

    /// Returns the CPU time of a run that claims to have used this much. A machine uses more by itself; one that uses much more has
    /// another clock than ours.
    fn believed(&self, claimed: Nanos) -> Nanos {
        let claimed = claimed.min(self.cpu_time);
        let by_itself =
            Nanos(BY_ITSELF.0.saturating_add(claimed.0 / 2).saturating_add(self.interval().0 / 10));
        let used = self.used_since();
        if used.saturating_sub(claimed) > by_itself { used } else { claimed }
    }
}

/// Returns the result of a run whose machine has not answered.
fn unanswered(
    ran: Ran,
    plan: &RunPlan,
    view: &View,
    (is_ended, is_late): (bool, bool),
    errors: [Option<io::Error>; 2],
) -> Result<Ran, SandboxError> {
    let mut result = ran.result;
    let errors = errors.into_iter().flatten().filter(|error| !is_only_its_end(error));
    let errors: Vec<String> = errors.map(|error| short(&error.to_string())).collect();
    let said = short(&last_words(&ran.stderr));
    let no_answer = |why: &str| Err(SandboxError::Machine(format!("gave no answer: {why}{said}")));
    match result.end {
        _ if is_ended => {}
        _ if !errors.is_empty() => return no_answer(&errors.join(", ")),
        // The sandbox inside would have ended it long before; whatever keeps it from that is the run's doing.
        _ if is_late => result.end = RunEnd::Limit(LimitKind::WallTime),
        RunEnd::Limit(LimitKind::WallTime) if view.begun_at.is_some() => {}
        RunEnd::Limit(LimitKind::WallTime) => return no_answer("it did not begin in time"),
        RunEnd::Limit(LimitKind::Memory) => {
            return Err(SandboxError::Machine("was ended for want of memory on this machine".to_owned()));
        }
        end => return no_answer(&format!("it ended with {end}")),
    }
    // The rest was the machine's own.
    let wall_time = view.interval();
    let why = "its virtual machine gave no answer";
    result.usage = Usage::of_times(
        view.used_since(),
        plan.limits.wall_time.map_or(wall_time, |limit| wall_time.min(limit)),
        why,
    );
    Ok(Ran { result, stdout: Vec::new(), stderr: Vec::new(), ..ran })
}

/// Returns what both sides saw together. Times are the guest's as far as the host's bound them: the guest's clock goes on while
/// another has its CPU, and a run may have taken over the guest.
fn combined(
    outer: Ran,
    ended: Ended,
    plan: &RunPlan,
    view: &View,
    machine: MachineUse,
    (stdout, stderr): (Vec<u8>, Vec<u8>),
) -> Ran {
    let mut result = outer.result;
    let interval = view.interval();
    let within = |time: Reading<Nanos>, most: Nanos| time.map(|time| time.min(most));
    let mut usage = ended.usage;
    let cpu_time = view.believed(usage.cpu_time);
    result.end = match (ended.end, plan.limits.cpu_time) {
        (RunEnd::Exited(_) | RunEnd::Signaled(_), Some(limit))
            if cpu_time > usage.cpu_time && cpu_time > limit =>
        {
            RunEnd::Limit(LimitKind::CpuTime)
        }
        (end, _) => end,
    };
    if cpu_time != usage.cpu_time {
        usage.system_time = Reading::unavailable("the virtual machine says something else than its host");
    }
    usage.cpu_time = cpu_time;
    usage.user_time = within(usage.user_time, cpu_time);
    usage.system_time = within(usage.system_time, cpu_time);
    usage.wall_time = usage.wall_time.min(interval);
    usage.memory_peak = usage.memory_peak.map(|peak| peak.min(view.memory));
    usage.max_rss = usage.max_rss.map(|size| size.min(view.memory));
    result.usage = usage;
    let of_cpus = Nanos(interval.0.saturating_mul(view.cpus));
    result.evidence.throttled = within(ended.throttled, of_cpus);
    result.evidence.cpu_pressure = within(ended.cpu_pressure, of_cpus);
    result.evidence.steal = within(ended.steal, of_cpus);
    result.evidence.migrations = ended.migrations;
    result.evidence.machine = Some(machine);
    Ran { result, stdout, stderr, ended_at: view.answered_at, guard_cpu_time: Nanos::ZERO }
}

/// Shortens a text of a guest to one line.
fn short(text: &str) -> String {
    const LETTERS: usize = 500;
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).take(LETTERS).collect()
}

/// A panic elsewhere leaves what is kept as it was between two changes.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine that took 1 s to start, on one CPU, and answered 4 s later.
    fn view(cpu_ms: u64) -> View {
        View {
            began: Nanos::from_millis(10_000),
            begun_at: Some(Nanos::from_millis(11_000)),
            answered_at: Nanos::from_millis(15_000),
            cpus: 1,
            cpu_time: Nanos::from_millis(cpu_ms),
            memory: Bytes::from_mib(512),
        }
    }

    #[test]
    fn a_guest_is_believed_as_far_as_its_host_can_see() {
        let believed =
            |cpu_ms, claimed_ms| view(cpu_ms).believed(Nanos::from_millis(claimed_ms)).0 / 1_000_000;
        assert_eq!(believed(4_800, 3_000), 3_000);
        assert_eq!(believed(1_500, 20), 20, "it started, and then did little");
        assert_eq!(believed(2_000, 3_000), 2_000, "it had no more");
        assert_eq!(believed(4_900, 0), 3_900, "its clock stood still");
    }

    fn ended(cpu_ms: u64) -> Ended {
        let most = || Reading::Known(Nanos(u64::MAX));
        let usage = Usage {
            user_time: most(),
            memory_peak: Reading::Known(Bytes(u64::MAX)),
            ..Usage::of_times(Nanos::from_millis(cpu_ms), Nanos(u64::MAX), "not told")
        };
        let migrations = Reading::Known(0);
        Ended {
            end: RunEnd::Exited(0),
            usage,
            throttled: most(),
            cpu_pressure: most(),
            migrations,
            steal: most(),
        }
    }

    #[test]
    fn impossible_values_are_not_taken_over() {
        let run = |cpu_ms, claimed_ms| {
            let mut plan = RunPlan::new(Vec::new());
            plan.limits.cpu_time = Some(Nanos::from_millis(1_000));
            let result =
                model::RunResult::never_executed(RunEnd::Signaled(9), model::CpuSet::new(), "a test");
            let outer = Ran {
                result,
                stdout: Vec::new(),
                stderr: Vec::new(),
                ended_at: Nanos::ZERO,
                guard_cpu_time: Nanos::ZERO,
            };
            let machine = MachineUse {
                is_emulated: true,
                cpu_time: Nanos::from_millis(cpu_ms),
                start_time: Nanos::ZERO,
                memory_peak: None,
            };
            combined(outer, ended(claimed_ms), &plan, &view(cpu_ms), machine, (Vec::new(), Vec::new())).result
        };
        let honest = run(1_900, 900);
        assert_eq!((honest.end, honest.usage.cpu_time), (RunEnd::Exited(0), Nanos::from_millis(900)));
        assert_eq!(honest.usage.wall_time, Nanos::from_millis(4_000));
        assert_eq!(honest.usage.memory_peak, Reading::Known(Bytes::from_mib(512)));
        assert_eq!(honest.usage.user_time, Reading::Known(Nanos::from_millis(900)));
        assert_eq!(honest.evidence.steal, Reading::Known(Nanos::from_millis(4_000)));
        assert_eq!(run(4_900, 0).end, RunEnd::Limit(LimitKind::CpuTime), "it used 3.9 s and said 0");
        assert_eq!(short("a\nb\u{1b}[31m"), "a b [31m");
    }

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
