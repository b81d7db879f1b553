//! Runs plans, each in a machine of its own.

use crate::believed::{View, combined, short, unanswered};
use crate::initramfs;
use crate::kernel::GuestKernel;
use crate::qemu::{Accelerator, Hypervisor, INITRAMFS, KERNEL, Purpose, STATE, Size};
use crate::relay::{self, Event, Receiver, Seen, Streams, Watched};
use crate::request::{keeps, output_max, request, size};
use crate::template::{Parts, Template};
use crate::trees::measure;
use crate::wire::{Answer, Request};
use model::{Bytes, MachineUse, Nanos};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fd::OwnedFd;
use rustix::fs::{Mode, OFlags, ResolveFlags};
use rustix::pipe::PipeFlags;
use sandbox::{Counter, Input, Mount, Output, Ran, RootView, RunIo, RunPlan, SandboxError, Slot, Workspace};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Where a kernel for guests is unpacked, and where one may be installed.
const USUAL_FOLDERS: [&str; 2] = ["/var/lib/tauto/guest", "/"];
/// How long a machine may take for all but the run: its start, its input and its answer.
const AROUND_MAX: Nanos = Nanos::from_millis(60_000);
/// How much longer than the limit on wall time a machine whose run has begun may say nothing.
const SILENCE: Nanos = Nanos::from_millis(15_000);
/// The highest number of an error (errno(3)).
const ERRNO_MAX: i32 = 133;
/// How many templates are kept, and how many disks. A template is about 100 MiB, a disk that is not an image's is in memory, too.
const KEPT_MAX: usize = 4;

/// A hypervisor, a kernel for its guests, and the templates of machines that were needed so far.
#[derive(Debug)]
pub struct Machines {
    hypervisor: Hypervisor,
    kernel: GuestKernel,
    files: Mutex<Option<Arc<Workspace>>>,
    /// By their trees, the last used last.
    disks: Mutex<Vec<(PathBuf, Arc<Disk>)>>,
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
        lock(&self.disks).push((tree.to_owned(), Arc::new(Disk::Kept(file.to_owned()))));
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
        let (files, disk) = (self.files()?, self.disk(tree, slot.stop().as_ref())?);
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
        if let Some(template) = last_used(&mut templates, &key) {
            return Ok(template);
        }
        let (files, disk) = (self.files()?, self.disk(tree, stop.as_ref())?);
        let parts = Parts { hypervisor: &self.hypervisor, files: files.path(), disk: disk.path() };
        let template = Arc::new(Template::make(&parts, size, stop)?);
        keep(&mut templates, key, &template);
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

    fn disk(&self, tree: &Path, stop: Option<&Arc<OwnedFd>>) -> Result<Arc<Disk>, SandboxError> {
        let mut disks = lock(&self.disks);
        if let Some(disk) = last_used(&mut disks, &tree.to_owned()) {
            return Ok(disk);
        }
        let is_stopped = || stop.is_some_and(|stop| is_readable(stop));
        let failed = |error: io::Error| match is_stopped() {
            true => SandboxError::Interrupted,
            false => {
                SandboxError::Machine(format!("has no disk with what is in {}: {error}", tree.display()))
            }
        };
        let bytes = measure(tree, false).map_err(failed)?.bytes;
        let workspace = Workspace::new(Bytes(bytes.0 + Bytes::from_mib(16).0), 16)?;
        let path = workspace.write("disk", &[])?;
        let file = File::options().read(true).write(true).open(&path).map_err(failed)?;
        disk::write(tree, &file, &is_stopped).map_err(failed)?;
        let made = Arc::new(Disk::Made { path, _workspace: workspace });
        keep(&mut disks, tree.to_owned(), &made);
        Ok(made)
    }
}

/// Finds what is kept, and notes that it was used.
fn last_used<K: PartialEq, V>(kept: &mut Vec<(K, Arc<V>)>, key: &K) -> Option<Arc<V>> {
    let at = kept.iter().position(|(known, _)| known == key)?;
    let found = kept.remove(at);
    let value = Arc::clone(&found.1);
    kept.push(found);
    Some(value)
}

/// Keeps something in place of what was not used for the longest time.
fn keep<K, V>(kept: &mut Vec<(K, Arc<V>)>, key: K, value: &Arc<V>) {
    if kept.len() >= KEPT_MAX {
        kept.remove(0);
    }
    kept.push((key, Arc::clone(value)));
}

fn is_readable(fd: &OwnedFd) -> bool {
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    rustix::event::poll(&mut [PollFd::new(fd, PollFlags::IN)], Some(&at_once)) == Ok(1)
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

/// A panic elsewhere leaves what is kept as it was between two changes.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
