//! The first process of a guest: makes the machine ready, waits for its one plan, and runs it.

use crate::trees::{FILE, objection, receive_tree, send_tree};
use crate::wire::{
    Answer, CHUNK_BYTES, Collect, Ended, Feed, Kind, MODULES, PORT, PROGRAM, Pieces, Request, TreeTerms,
    invalid, read, receive, send, send_message,
};
use model::{Bytes, CpuId, Nanos, Reading};
use rustix::fd::OwnedFd;
use rustix::mount::{MountFlags, mount, mount_bind, mount_move};
use rustix::pipe::PipeFlags;
use rustix::time::{ClockId, Timespec};
use sandbox::{
    Counter, Input, Output, Ran, RootView, RunIo, RunPlan, SandboxError, Slot, SlotOptions, Workspace,
    input_in_memory,
};
use std::ffi::CStr;
use std::fs::{self, File};
use std::io::{self, Error, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

const DISK: &str = "/dev/vda";
/// Where the disk is mounted.
const IMAGE: &str = "/image";
/// How long devices may take to appear.
const DEVICES_MAX: Duration = Duration::from_secs(30);
const CONTROLLERS: [&str; 5] = ["cpu", "cpuset", "memory", "pids", "io"];
/// Settings from now on: no more modules, no other kernel, no keys of an administrator.
const SETTINGS: [(&str, &str); 5] = [
    // Programs reserve more than they use, also where the machine is small.
    ("vm/overcommit_memory", "1"),
    ("kernel/modules_disabled", "1"),
    ("kernel/kexec_load_disabled", "1"),
    ("kernel/sysrq", "0"),
    ("kernel/dmesg_restrict", "1"),
];
/// One tick of `/proc/stat`.
const TICK: Nanos = Nanos::from_millis(10);
/// What a folder in memory needs besides what is in it.
const SLACK: Bytes = Bytes::from_mib(1);
const SLACK_FILES: u32 = 16;

/// Becomes the guest's first process, if this is one; then it never returns. To be called before anything else.
pub fn become_guest_if_asked() {
    let is_guest = std::process::id() == 1
        && std::env::args_os().next().is_some_and(|name| name == *format!("/{PROGRAM}"));
    if !is_guest {
        return;
    }
    if let Err(error) = serve() {
        let mut text = format!("the guest failed: {error}");
        let mut source = std::error::Error::source(&*error);
        while let Some(cause) = source {
            text.push_str(&format!(": {cause}"));
            source = cause.source();
        }
        println!("{text}");
    }
    // The machine ends with its first process.
    let _ = rustix::system::reboot(rustix::system::RebootCommand::PowerOff);
    std::process::exit(1);
}

type Failure = Box<dyn std::error::Error>;

fn serve() -> Result<(), Failure> {
    make_ready()?;
    let mut port = open_port()?;
    sandbox::enter_private_mounts()?;
    let mut slot = Slot::open(SlotOptions::new(RootView::Tree(IMAGE.into())))?;
    slot.prepare()?;
    send(&mut port, Kind::Ready, &[])?;
    let mut content = Vec::new();
    if receive(&mut port, &mut content)? != Some(Kind::Request) {
        return Err("a request was expected".into());
    }
    let request: Request = read(&content)?;
    // Both as best they can: an older seed or time is no reason not to run.
    let _ = sandbox::reseed(&request.seed);
    let now = request.time.0;
    let now = Timespec { tv_sec: (now / 1_000_000_000) as i64, tv_nsec: (now % 1_000_000_000) as i64 };
    let _ = rustix::time::clock_settime(ClockId::Realtime, now);
    let answer = match answer(&mut slot, request, &port) {
        Ok(answer) => answer,
        Err(error) => failed(&error),
    };
    send_message(&mut port, Kind::Answer, &answer)?;
    // The host ends the machine.
    loop {
        std::thread::park();
    }
}

fn failed(error: &SandboxError) -> Answer {
    match error {
        SandboxError::Exec { program, source } => {
            Answer::CannotExecute { program: program.clone(), errno: source.raw_os_error().unwrap_or(0) }
        }
        SandboxError::Plan { .. } => Answer::Plan { why: error.to_string() },
        error => {
            let cause = std::error::Error::source(error).map(|cause| format!(": {cause}"));
            Answer::Failed(format!("{error}{}", cause.unwrap_or_default()))
        }
    }
}

fn make_ready() -> Result<(), Failure> {
    let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
    fs::create_dir_all("/newroot")?;
    // Nothing can be made the root in place of the first one (pivot_root(2)), so this one gets a mount of its own.
    mount_bind("/", "/newroot")?;
    std::env::set_current_dir("/newroot")?;
    mount_move("/newroot", "/")?;
    rustix::process::chroot(".")?;
    let mounts: [(&str, &str, &CStr, MountFlags); 5] = [
        ("proc", "/proc", c"", flags | MountFlags::NODEV),
        ("sysfs", "/sys", c"", flags | MountFlags::NODEV),
        ("devtmpfs", "/dev", c"mode=755", flags),
        ("tmpfs", "/tmp", c"mode=1777", flags | MountFlags::NODEV),
        ("tmpfs", "/run", c"mode=755", MountFlags::NOSUID | MountFlags::NODEV),
    ];
    for (kind, target, data, flags) in mounts {
        mount(kind, target, kind, flags, data).map_err(|error| format!("cannot mount {target}: {error}"))?;
    }
    mount("cgroup", "/sys/fs/cgroup", "cgroup2", flags | MountFlags::NODEV, c"")?;
    for controller in CONTROLLERS {
        // A kernel without one of them has the others.
        let _ = fs::write("/sys/fs/cgroup/cgroup.subtree_control", format!("+{controller}"));
    }
    let modules = format!("/{}", MODULES);
    let mut paths: Vec<PathBuf> =
        fs::read_dir(&modules)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    paths.sort();
    for path in paths {
        let loaded = rustix::system::finit_module(File::open(&path)?, c"", 0);
        loaded.map_err(|error| format!("cannot load {}: {error}", path.display()))?;
        fs::remove_file(&path)?;
    }
    for (name, value) in SETTINGS {
        // Some kernels do not have one of them.
        let _ = fs::write(Path::new("/proc/sys").join(name), value);
    }
    fs::create_dir_all(IMAGE)?;
    wait_for(|| Path::new(DISK).exists().then_some(())).ok_or("the disk does not appear")?;
    let flags = MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
    mount(DISK, IMAGE, "squashfs", flags, c"").map_err(|error| format!("cannot mount the disk: {error}"))?;
    Ok(())
}

fn wait_for<T>(mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let begin = std::time::Instant::now();
    loop {
        match look() {
            None if begin.elapsed() < DEVICES_MAX => std::thread::sleep(Duration::from_millis(5)),
            found => return found,
        }
    }
}

fn open_port() -> Result<File, Failure> {
    let find = || {
        for entry in fs::read_dir("/sys/class/virtio-ports").ok()?.flatten() {
            let name = fs::read_to_string(entry.path().join("name")).unwrap_or_default();
            if name.trim_end() == PORT {
                let path = Path::new("/dev").join(entry.file_name());
                return File::options().read(true).write(true).open(path).ok();
            }
        }
        None
    };
    Ok(wait_for(find).ok_or("the port does not appear")?)
}

/// Gets what the plan needs, runs it, and sends back what it wrote.
fn answer(slot: &mut Slot, request: Request, port: &File) -> Result<Answer, SandboxError> {
    let lost = |error: Error| SandboxError::Machine(format!("lost its host: {error}"));
    let Request { mut plan, trees, emulator, cpus, stdin, stdout, stderr, .. } = request;
    plan.cpus = Some((0..cpus).map(CpuId).collect());
    plan.counter = emulator.map(Counter::Emulated);
    let mut from = port.try_clone().map_err(lost)?;
    let mut places = Vec::new();
    for terms in &trees {
        places.push(Place::receive(terms, &mut from, slot.user(plan.role))?);
    }
    put_in_place(&mut plan, &places, &trees);
    let to = Arc::new(Mutex::new(port.try_clone().map_err(lost)?));
    let stdin = match stdin {
        Feed::Empty => Input::Empty,
        Feed::Whole(size) => {
            let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
            Pieces::new(&mut from, Kind::Stdin)
                .take(size.saturating_add(1))
                .read_to_end(&mut bytes)
                .map_err(lost)?;
            input_in_memory(&bytes)?.open()?
        }
        Feed::Live => Input::Descriptor(pump_in(from).map_err(lost)?),
    };
    let mut pumps = Vec::new();
    let mut collect = |terms: Collect, kind: Kind| -> Result<Output, SandboxError> {
        Ok(match terms {
            Collect::Capture => Output::Capture,
            Collect::Cut { fails } => Output::Cut { fails },
            Collect::Discard => Output::Discard,
            Collect::Live { counted } => {
                let (end, pump) = pump_out(kind, &to).map_err(lost)?;
                pumps.push(pump);
                if counted { Output::Forward(end) } else { Output::Descriptor(end) }
            }
        })
    };
    let io = RunIo {
        stdin,
        stdout: collect(stdout, Kind::Stdout)?,
        stderr: collect(stderr, Kind::Stderr)?,
        end_when: None,
    };
    send(&mut *to.lock().unwrap_or_else(PoisonError::into_inner), Kind::Begun, &[]).map_err(lost)?;
    let stolen = steal();
    let Ran { result, stdout, stderr, .. } = slot.run(&plan, io)?;
    let steal = match (stolen, steal()) {
        (Some(before), Some(after)) => Reading::Known(after.saturating_sub(before)),
        _ => Reading::unavailable("the guest's kernel does not count it"),
    };
    for pump in pumps {
        // What it could not send is missing in what the host has, and nothing can be done about it here.
        let _ = pump.join();
    }
    let mut to = to.lock().unwrap_or_else(PoisonError::into_inner);
    for (kind, bytes) in [(Kind::Stdout, stdout), (Kind::Stderr, stderr)] {
        for piece in bytes.chunks(CHUNK_BYTES) {
            send(&mut *to, kind, piece).map_err(lost)?;
        }
    }
    for (place, terms) in places.iter().zip(&trees).filter(|(_, terms)| terms.writable) {
        if let Some(why) = objection(&place.path, terms) {
            return Ok(Answer::LeftBehind { why });
        }
        send_tree(&place.path, &mut *to).map_err(lost)?;
    }
    let evidence = result.evidence;
    Ok(Answer::Ran(Box::new(Ended {
        end: result.end,
        usage: result.usage,
        throttled: evidence.throttled,
        cpu_pressure: evidence.cpu_pressure,
        migrations: evidence.migrations,
        steal,
    })))
}

/// Something that was copied from the host.
struct Place {
    _workspace: Workspace,
    path: PathBuf,
}

impl Place {
    fn receive(terms: &TreeTerms, from: &mut File, user: u32) -> Result<Self, SandboxError> {
        const FOLDER: &str = "tree";
        let size = Bytes(terms.bytes.0.saturating_add(SLACK.0));
        let workspace = Workspace::new(size, terms.files.saturating_add(SLACK_FILES))?;
        let folder = workspace.folder(FOLDER)?;
        let received = receive_tree(from, &folder);
        received.map_err(|error| SandboxError::Machine(format!("cannot keep what was copied: {error}")))?;
        if terms.writable {
            workspace.give_folder_to(FOLDER, user)?;
        }
        workspace.make_ageless()?;
        let path = if terms.is_folder { folder } else { folder.join(FILE) };
        Ok(Self { _workspace: workspace, path })
    }
}

/// Puts the guest's paths into a plan.
fn put_in_place(plan: &mut RunPlan, places: &[Place], trees: &[TreeTerms]) {
    let (mounts, copies) = places.split_at(plan.mounts.len().min(places.len()));
    for (mount, place) in plan.mounts.iter_mut().zip(mounts) {
        mount.source.clone_from(&place.path);
    }
    for (copy, place) in plan.copies.iter_mut().zip(copies) {
        copy.source.clone_from(&place.path);
    }
    debug_assert_eq!(places.len(), trees.len());
}

/// Writes what the host sends into a pipe, whose other end it returns.
fn pump_in(mut from: File) -> io::Result<OwnedFd> {
    let (read_end, write_end) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
    let mut to = File::from(write_end);
    std::thread::Builder::new().spawn(move || -> io::Result<()> {
        let mut content = Vec::new();
        loop {
            match receive(&mut from, &mut content)? {
                Some(Kind::Stdin) if content.is_empty() => return Ok(()),
                // What a program does not read is not missed.
                Some(Kind::Stdin) => drop(to.write_all(&content)),
                _ => return Err(invalid("a frame out of turn")),
            }
        }
    })?;
    Ok(read_end)
}

/// Sends what comes out of a pipe, whose other end it returns, and the end of it.
fn pump_out(kind: Kind, to: &Arc<Mutex<File>>) -> io::Result<(OwnedFd, JoinHandle<io::Result<()>>)> {
    let (read_end, write_end) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
    sandbox::open_to_all(&write_end)?;
    let (mut from, to) = (File::from(read_end), Arc::clone(to));
    let pump = std::thread::Builder::new().spawn(move || {
        let mut chunk = vec![0; CHUNK_BYTES];
        loop {
            let length = from.read(&mut chunk)?;
            let mut to = to.lock().unwrap_or_else(PoisonError::into_inner);
            send(&mut *to, kind, &chunk[..length])?;
            if length == 0 {
                return Ok(());
            }
        }
    })?;
    Ok((write_end, pump))
}

/// Returns what the hypervisor took so far (proc_stat(5)).
fn steal() -> Option<Nanos> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    let ticks: u64 = stat.lines().next()?.split_whitespace().nth(8)?.parse().ok()?;
    Some(Nanos(ticks.saturating_mul(TICK.0)))
}
