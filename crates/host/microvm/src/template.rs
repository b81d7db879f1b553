//! A machine that was started once, and whose state every run begins from.

use crate::qemu::{DISK, FILES, HELLO, Hypervisor, OUT, OWN_MEMORY, Purpose, SAVED, Size};
use model::{Bytes, Limits, Nanos};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fd::OwnedFd;
use sandbox::{
    Input, Mount, Output, Role, RootView, RunIo, RunPlan, SandboxError, SeccompClass, Slot, SlotOptions,
    Workspace,
};
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Error, ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Emulated machines take 2 to 10 s to start, and several times as long where all processors are busy.
const BOOT_MAX: Nanos = Nanos::from_millis(120_000);
/// QEMU, its threads, and what writes the state.
pub const PROCESSES: u32 = 64;
/// How often it is looked at whether the machine is ready.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 5_000_000 };
/// As fast as it can be.
const BYTES_PER_SECOND: u64 = 64 << 30;

#[derive(Debug)]
pub struct Template {
    _workspace: Workspace,
    pub state: PathBuf,
    /// How long it took to start and to save.
    pub time: Nanos,
    pub state_size: Bytes,
}

/// What every machine of a root has.
pub struct Parts<'a> {
    pub hypervisor: &'a Hypervisor,
    /// The folder of kernel and first files.
    pub files: &'a Path,
    pub disk: &'a Path,
}

impl Parts<'_> {
    /// Makes the plan of a machine in a slot, but for its limits on time.
    pub fn plan(&self, size: Size, purpose: Purpose) -> RunPlan {
        let mount = |source: &Path, target: &str| Mount {
            source: source.to_owned(),
            target: target.to_owned(),
            writable: false,
        };
        let mut plan = RunPlan::new(self.hypervisor.command(size, purpose));
        plan.mounts = vec![mount(self.files, FILES), mount(self.disk, DISK)];
        plan.seccomp = SeccompClass::Runtime;
        plan.limits = Limits {
            memory: Some(Bytes(size.memory.0 + OWN_MEMORY.0)),
            processes: Some(PROCESSES),
            box_size: Bytes::from_mib(1),
            ..Limits::unlimited()
        };
        plan
    }

    /// Returns what the hypervisor sees.
    pub fn root(hypervisor: &Hypervisor) -> RootView {
        RootView::Host { extra: hypervisor.accelerator.device().map(Path::to_owned).into_iter().collect() }
    }
}

impl Template {
    pub fn make(parts: &Parts<'_>, size: Size, stop: Option<Arc<OwnedFd>>) -> Result<Self, SandboxError> {
        let started = Instant::now();
        let options = SlotOptions { stop, ..SlotOptions::new(Parts::root(parts.hypervisor)) };
        let mut slot = Slot::open(options)?;
        // The state is at most as large as the memory, and little more.
        let workspace = Workspace::new(Bytes(size.memory.0 + Bytes::from_mib(64).0), 16)?;
        let out = workspace.folder("out")?;
        workspace.give_folder_to("out", slot.user(Role::Contestant))?;
        let mut plan = parts.plan(size, Purpose::Template);
        plan.mounts.push(Mount { source: out.clone(), target: OUT.to_owned(), writable: true });
        plan.limits.wall_time = Some(BOOT_MAX);
        plan.limits.memory = Some(Bytes(2 * size.memory.0 + OWN_MEMORY.0));
        let pipe = || {
            rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)
                .map_err(|error| SandboxError::Machine(format!("has no pipe: {error}")))
        };
        let ((from_us, to_machine), (from_machine, to_us)) = (pipe()?, pipe()?);
        let io = RunIo {
            stdin: Input::Descriptor(from_us),
            stdout: Output::Descriptor(to_us),
            stderr: Output::Capture,
            end_when: None,
        };
        let (ran, saved) = std::thread::scope(|scope| {
            let hello = out.join(HELLO);
            let talk = scope.spawn(move || Monitor::new(to_machine, from_machine)?.save_when_ready(&hello));
            let ran = slot.run(&plan, io);
            let saved = talk.join().unwrap_or_else(|_| Err(Error::other("a thread of ours failed")));
            (ran, saved)
        });
        let ran = ran?;
        if let Err(error) = saved {
            let said = last_words(&ran.stderr);
            return Err(SandboxError::Machine(format!("did not start: {error}{said}")));
        }
        let state = out.join(SAVED);
        let found =
            state.metadata().map_err(|error| SandboxError::Machine(format!("was not saved: {error}")))?;
        // It is read by machines of any slot, and changed by none.
        let own = std::os::unix::fs::chown(&state, Some(0), Some(0))
            .and_then(|()| fs::set_permissions(&state, fs::Permissions::from_mode(0o444)));
        own.map_err(|error| SandboxError::Machine(format!("was not saved: {error}")))?;
        let time = Nanos::from(started.elapsed());
        Ok(Self { _workspace: workspace, state, time, state_size: Bytes(found.len()) })
    }
}

/// Returns what a machine has said last, to be added to a message.
pub fn last_words(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.contains("TCG doesn't support"))
        .collect();
    match lines[lines.len().saturating_sub(3)..].join("; ") {
        said if said.is_empty() => String::new(),
        said => format!(" ({said})"),
    }
}

/// QEMU's own protocol (docs/interop/qmp-spec.rst of QEMU).
struct Monitor {
    to: File,
    from: BufReader<File>,
}

impl Monitor {
    fn new(to: OwnedFd, from: OwnedFd) -> Result<Self, Error> {
        let mut monitor = Self { to: to.into(), from: BufReader::new(from.into()) };
        monitor.read()?;
        monitor.ask(&json!({ "execute": "qmp_capabilities" }))?;
        Ok(monitor)
    }

    /// Saves the machine once its port has a word, and ends it.
    fn save_when_ready(mut self, hello: &Path) -> Result<(), Error> {
        while !hello.metadata().is_ok_and(|found| found.len() > 0) {
            let mut polled = [PollFd::new(self.from.get_ref(), PollFlags::IN)];
            if rustix::event::poll(&mut polled, Some(&LOOK))? > 0 {
                // An event, or its end.
                self.read()?;
            }
        }
        let speed = json!({ "max-bandwidth": BYTES_PER_SECOND });
        self.ask(&json!({ "execute": "migrate-set-parameters", "arguments": speed }))?;
        let to = json!({ "uri": format!("exec:cat > {OUT}/{SAVED}") });
        self.ask(&json!({ "execute": "migrate", "arguments": to }))?;
        loop {
            let state = self.ask(&json!({ "execute": "query-migrate" }))?;
            match state["status"].as_str() {
                Some("completed") => break,
                Some("failed" | "cancelled") => {
                    let why = state["error-desc"].as_str().unwrap_or("no reason is given");
                    return Err(Error::other(format!("its state cannot be saved: {why}")));
                }
                _ => std::thread::sleep(std::time::Duration::from_millis(5)),
            }
        }
        // It may be gone before it has answered, or even read the end of the line.
        let _ = self.ask(&json!({ "execute": "quit" }));
        Ok(())
    }

    /// Asks, and returns the answer.
    fn ask(&mut self, question: &Value) -> Result<Value, Error> {
        self.to.write_all(format!("{question}\n").as_bytes())?;
        loop {
            let mut said = self.read()?;
            if let Some(error) = said.get("error") {
                return Err(Error::other(format!("the hypervisor refuses {question}: {error}")));
            }
            if let Some(answer) = said.get_mut("return") {
                return Ok(answer.take());
            }
        }
    }

    fn read(&mut self) -> Result<Value, Error> {
        let mut line = String::new();
        match self.from.read_line(&mut line)? {
            0 => Err(Error::new(ErrorKind::UnexpectedEof, "it ended")),
            _ => serde_json::from_str(&line).map_err(Error::other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_words_are_short_and_leave_out_what_is_usual() {
        assert_eq!(last_words(b""), "");
        assert_eq!(
            last_words(b"warning: TCG doesn't support requested feature: x\n\none\ntwo\nthree\nfour\n"),
            " (two; three; four)"
        );
    }
}
