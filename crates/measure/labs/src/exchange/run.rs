//! Runs the MPI program.

use super::{ExchangeError, Plan, Program, Run};
use crate::Stop;
use crate::words::Words;
use rustix::process::{Pid, Signal};
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How often a requested stop is checked; each check takes a CPU from a rank for a moment.
const LOOK: Duration = Duration::from_millis(200);
/// The longest time that Open MPI needs to end its processes and remove its files.
const END_TIME_MAX: Duration = Duration::from_secs(5);
/// A line of the program; the longest is a warm-up's.
const LINE_BYTES_MAX: usize = 4096;
/// The relevant part is the beginning of Open MPI's error message, in a frame of dashes.
const COMPLAINT_CHARS_MAX: usize = 400;

/// Executes a program that is terminated when the parent ends; returns the error if that fails.
pub fn become_tied(parent: u32, command: &[String]) -> std::io::Error {
    let Some((program, arguments)) = command.split_first() else {
        return std::io::Error::other("there is no command");
    };
    match crate::load::worker::end_with(parent, Signal::TERM) {
        Ok(()) => Command::new(program).args(arguments).exec(),
        Err(error) => error,
    }
}

/// mpirun with its processes; they end when this is dropped.
struct Running {
    child: Child,
    words: Words,
}

impl Program {
    /// Runs it, and calls `step` after each block. Must be called from the main thread, since the kernel ends the
    /// program when the calling thread ends.
    pub fn run(&self, plan: &Plan, stop: Stop, mut step: impl FnMut()) -> Result<Run, ExchangeError> {
        let complaints = self.folder.path().join("complaints");
        let mut running = self.start(plan, &complaints)?;
        let (begun, time_max) = (Instant::now(), plan.time_max());
        let mut run = Run::default();
        while let Some(line) = running.line(stop)? {
            if let Some(line) = line
                && run.receive(&line, plan)?
            {
                step();
            }
            if begun.elapsed() > time_max {
                return Err(ExchangeError::TooLong(time_max.as_secs()));
            }
        }
        let status =
            running.child.wait().map_err(|source| ExchangeError::Start { what: "mpirun", source })?;
        if !status.success() || !run.is_complete {
            return Err(ExchangeError::Failed(complaint(&complaints).unwrap_or_else(|| status.to_string())));
        }
        Ok(run)
    }

    fn start(&self, plan: &Plan, complaints: &Path) -> Result<Running, ExchangeError> {
        let failed = |source| ExchangeError::File { path: complaints.to_owned(), source };
        let stderr = File::create(complaints).map_err(failed)?;
        let started = |source| ExchangeError::Start { what: "mpirun", source };
        let mut child = self
            .mpi
            .command(Path::new("/proc/self/exe"))
            .args(["internal", "tied", "--parent", &std::process::id().to_string(), "--"])
            .arg(&self.mpi.launcher)
            .args(mpirun_arguments(plan, rustix::process::geteuid().is_root()))
            .arg(self.path())
            .args(plan.arguments())
            // Its session's folder is removed with this one.
            .env("TMPDIR", self.folder.path())
            .current_dir(self.folder.path())
            .stdout(Stdio::piped())
            .stderr(stderr)
            // Ctrl-C reaches only this process, which ends the program after printing the results.
            .process_group(0)
            .spawn()
            .map_err(started)?;
        let Some(words) = child.stdout.take() else {
            return Err(started(std::io::Error::other("it has no pipe")));
        };
        Ok(Running { child, words: Words::of(words) })
    }
}

/// Returns the settings of Open MPI: all ranks are on this machine and pin themselves, so it looks for no other machine and binds nothing.
fn mpirun_arguments(plan: &Plan, is_root: bool) -> Vec<String> {
    let yields = u8::from(plan.shares_cpus()).to_string();
    let settings = [
        ("plm", "isolated"),
        ("pml", "ob1"),
        ("btl", "self,vader"),
        // Containers often forbid reading other processes' memory, and Open MPI then warns repeatedly.
        ("btl_vader_single_copy_mechanism", "none"),
        // Ranks that share a CPU must not spin while another one needs it.
        ("mpi_yield_when_idle", &yields),
    ];
    let mut arguments = Vec::new();
    if is_root {
        arguments.push("--allow-run-as-root".to_owned());
    }
    for (name, value) in settings {
        arguments.extend(["--mca", name, value].map(str::to_owned));
    }
    arguments.extend(
        ["--bind-to", "none", "--oversubscribe", "-np", &plan.ranks().to_string()].map(str::to_owned),
    );
    arguments
}

/// Reads Open MPI's error message, without its frame.
fn complaint(path: &Path) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("---"));
    let text: String = lines.collect::<Vec<_>>().join(" ").chars().take(COMPLAINT_CHARS_MAX).collect();
    Some(text).filter(|text| !text.is_empty())
}

impl Running {
    /// Waits a while for the next line: `None` at the end, `Some(None)` if there is none yet.
    fn line(&mut self, stop: Stop) -> Result<Option<Option<String>>, ExchangeError> {
        loop {
            if stop() {
                return Err(ExchangeError::Stopped);
            }
            if let Some(line) = self.words.line() {
                return Ok(Some(Some(line)));
            }
            match self.words.listen(LOOK) {
                Ok(None) => return Ok(Some(None)),
                Ok(Some(0)) => return Ok(None),
                Ok(Some(_))
                    if self.words.received.len() > LINE_BYTES_MAX
                        && !self.words.received.contains(&b'\n') =>
                {
                    return Err(ExchangeError::Words("a line without an end".to_owned()));
                }
                Ok(Some(_)) => {}
                Err(source) => return Err(ExchangeError::Start { what: "mpirun", source }),
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(Some(_))) {
            return;
        }
        // On SIGTERM, Open MPI ends its processes and removes its files. The pipe ends with the last process.
        let _ = rustix::process::kill_process(Pid::from_child(&self.child), Signal::TERM);
        let begun = Instant::now();
        while begun.elapsed() < END_TIME_MAX {
            match self.words.listen(LOOK) {
                Ok(Some(0)) | Err(_) => break,
                Ok(_) => self.words.received.clear(),
            }
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::super::plan::tests::plan;
    use super::*;
    use model::CpuId;

    #[test]
    fn ranks_that_share_a_cpu_yield() {
        let mut plan = plan();
        let arguments = mpirun_arguments(&plan, true).join(" ");
        assert!(arguments.starts_with("--allow-run-as-root --mca plm isolated"), "{arguments}");
        assert!(arguments.contains("mpi_yield_when_idle 0") && arguments.ends_with("-np 2"), "{arguments}");
        plan.cpus.push(CpuId(0));
        let arguments = mpirun_arguments(&plan, false).join(" ");
        assert!(!arguments.contains("root") && arguments.contains("mpi_yield_when_idle 1"), "{arguments}");
    }

    #[test]
    fn complaints_lose_their_frame() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("complaints");
        std::fs::write(&path, "-----\nThere are not enough slots\n\nin the system.\n-----\n").unwrap();
        assert_eq!(complaint(&path).as_deref(), Some("There are not enough slots in the system."));
        std::fs::write(&path, "").unwrap();
        assert_eq!(complaint(&path), None);
    }
}
