//! The controlling side of a load: a child process that is asked for its work.

use super::LoadKind;
use crate::words::Words;
use model::{CpuSet, Nanos};
use rustix::process::{Pid, Signal};
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

/// The question.
pub(super) const ASK: u8 = b'?';
/// The beginning of an answer after a failure.
pub(super) const FAILED: &str = "failed: ";

/// A load that shares its CPU with others answers late, but not as late as this.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(10);
/// The longest time until every thread has done some work: disks may be slow, and memory is used for the first time.
const START_TIME_MAX: Duration = Duration::from_secs(60);
/// The time between two checks of that.
const START_LOOK: Duration = Duration::from_millis(5);

/// A load's parameters, as data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadPlan {
    pub kind: LoadKind,
    /// Its CPUs, with one thread each.
    pub cpus: CpuSet,
    /// Whether each thread may use any of them, as the kernel chooses, and not just its own.
    pub floating: bool,
    /// The folder to which it writes, if it does.
    pub folder: PathBuf,
}

/// The work of each of a load's threads since its start, in the kind's unit, by ascending CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work(pub Vec<u64>);

/// A running load; it ends when this is dropped.
#[derive(Debug)]
pub struct Load {
    plan: LoadPlan,
    child: Child,
    questions: ChildStdin,
    answers: Words,
    started: Instant,
}

/// Why there is no load, or no more.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The process could not be started.
    #[error("cannot start the {kind} load")]
    Start {
        kind: LoadKind,
        /// Why.
        source: io::Error,
    },
    /// It ended unexpectedly.
    #[error("the {kind} load on {} ended: {why}", cpus.named())]
    Ended {
        kind: LoadKind,
        cpus: CpuSet,
        /// The known details.
        why: String,
    },
    /// It reported a failure.
    #[error("the {kind} load failed: {why}")]
    Failed {
        kind: LoadKind,
        /// Its message.
        why: String,
    },
    /// It does not answer.
    #[error("the {kind} load on {} has not {what} for {} s", cpus.named(), time.as_secs())]
    Late {
        kind: LoadKind,
        cpus: CpuSet,
        /// What was expected of it.
        what: &'static str,
        /// For how long it was waited for.
        time: Duration,
    },
}

impl Work {
    /// Returns the sum over all threads.
    pub fn total(&self) -> u64 {
        self.0.iter().fold(0, |sum, done| sum.saturating_add(*done))
    }
}

impl LoadPlan {
    /// Returns the arguments of the child, after those that lead `binary` to [`super::worker::serve`].
    fn arguments(&self) -> Vec<std::ffi::OsString> {
        let mut arguments: Vec<std::ffi::OsString> = vec![
            self.kind.word().into(),
            "--cpu-list".into(),
            self.cpus.to_string().into(),
            "--folder".into(),
            self.folder.clone().into(),
            "--parent".into(),
            std::process::id().to_string().into(),
        ];
        if self.floating {
            arguments.push("--floating".into());
        }
        arguments
    }
}

impl Load {
    /// Starts `binary lead... KIND --cpu-list LIST --folder DIR --parent PID` and waits until each of its threads has
    /// done some work. Must be called from the main thread, since the kernel ends the load when the calling thread
    /// does.
    pub fn start(plan: LoadPlan, binary: &Path, lead: &[&str]) -> Result<Self, LoadError> {
        let failed = |source| LoadError::Start { kind: plan.kind, source };
        let mut child = Command::new(binary)
            .args(lead)
            .args(plan.arguments())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .current_dir("/")
            // Ctrl-C reaches only this process, which ends the load after printing the results.
            .process_group(0)
            .spawn()
            .map_err(failed)?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let Some((questions, answers)) = pipes else {
            return Err(failed(io::Error::other("it has no pipes")));
        };
        let mut load = Self { plan, child, questions, answers: Words::of(answers), started: Instant::now() };
        while load.work()?.0.contains(&0) {
            if load.started.elapsed() > START_TIME_MAX {
                return Err(load.late("begun to work", START_TIME_MAX));
            }
            std::thread::sleep(START_LOOK);
        }
        Ok(load)
    }

    /// Returns its parameters.
    pub fn plan(&self) -> &LoadPlan {
        &self.plan
    }

    /// Asks for the work so far, and returns it with the time since the start.
    pub fn work_at(&mut self) -> Result<(Work, Nanos), LoadError> {
        let work = self.work()?;
        Ok((work, self.started.elapsed().into()))
    }

    /// Pauses it until [`Self::resume`]; meanwhile it must not be asked for its work.
    pub fn pause(&mut self) -> Result<(), LoadError> {
        self.signal(Signal::STOP)
    }

    /// Lets it continue.
    pub fn resume(&mut self) -> Result<(), LoadError> {
        self.signal(Signal::CONT)
    }

    fn signal(&mut self, signal: Signal) -> Result<(), LoadError> {
        if let Ok(Some(_)) = self.child.try_wait() {
            return Err(self.ended("it is gone"));
        }
        // It was not reaped, so its PID is still its own.
        rustix::process::kill_process(Pid::from_child(&self.child), signal)
            .map_err(|error| self.ended(&error.to_string()))
    }

    fn work(&mut self) -> Result<Work, LoadError> {
        self.questions.write_all(&[ASK]).map_err(|error| self.ended(&error.to_string()))?;
        let line = self.answer()?;
        if let Some(why) = line.strip_prefix(FAILED) {
            return Err(LoadError::Failed { kind: self.plan.kind, why: why.to_owned() });
        }
        let counts: Result<Vec<u64>, _> = line.split_whitespace().map(str::parse).collect();
        match counts {
            Ok(counts) if counts.len() == self.plan.cpus.len() => Ok(Work(counts)),
            _ => Err(self.ended(&format!("it answered '{line}'"))),
        }
    }

    fn answer(&mut self) -> Result<String, LoadError> {
        let deadline = Instant::now() + ANSWER_TIME_MAX;
        loop {
            if let Some(line) = self.answers.line() {
                return Ok(line);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.answers.listen(left) {
                Ok(None) if left.is_zero() => return Err(self.late("answered", ANSWER_TIME_MAX)),
                Ok(Some(0)) => return Err(self.ended("it says no more")),
                Ok(_) => {}
                Err(error) => return Err(self.ended(&error.to_string())),
            }
        }
    }

    fn ended(&mut self, why: &str) -> LoadError {
        let why = match self.child.try_wait() {
            Ok(Some(status)) => format!("{why} ({status})"),
            _ => why.to_owned(),
        };
        LoadError::Ended { kind: self.plan.kind, cpus: self.plan.cpus.clone(), why }
    }

    fn late(&self, what: &'static str, time: Duration) -> LoadError {
        LoadError::Late { kind: self.plan.kind, cpus: self.plan.cpus.clone(), what, time }
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        // If it has already ended there is nothing to kill, and waiting reaps it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> LoadPlan {
        LoadPlan { kind: LoadKind::Cpu, cpus: "0-1".parse().unwrap(), floating: false, folder: "/".into() }
    }

    /// Starts a shell in place of the load.
    fn start(script: &str) -> Result<Load, LoadError> {
        Load::start(plan(), Path::new("/bin/sh"), &["-c", script, "load"])
    }

    #[test]
    fn a_load_is_asked_until_every_thread_works() {
        let script = "[ \"$*\" = \"cpu --cpu-list 0-1 --folder / --parent $PPID\" ] || exit 9; n=0; \
                      while dd bs=1 count=1 status=none | grep -q .; do n=$((n+1)); echo \"7 $((n/3))\"; done";
        let mut load = start(script).unwrap();
        let (work, _) = load.work_at().unwrap();
        assert_eq!((work.0.as_slice(), work.total()), ([7, 1].as_slice(), 8));
        let process = PathBuf::from(format!("/proc/{}", load.child.id()));
        assert!(process.exists());
        drop(load);
        assert!(!process.exists(), "it has ended and was waited for");
    }

    #[test]
    fn a_load_that_was_stopped_goes_on() {
        let script = "while dd bs=1 count=1 status=none | grep -q .; do echo \"1 1\"; done";
        let mut load = start(script).unwrap();
        load.pause().unwrap();
        load.resume().unwrap();
        assert_eq!(load.work_at().unwrap().0.total(), 2);
        load.pause().unwrap();
        drop(load);
    }

    #[test]
    fn a_load_that_fails_is_reported() {
        for (script, words) in [
            (
                "dd bs=1 count=1 status=none >/dev/null; echo 'failed: disk full'",
                "the cpu load failed: disk full",
            ),
            ("dd bs=1 count=1 status=none >/dev/null; echo what", "ended: it answered 'what'"),
            ("exit 3", "the cpu load on CPUs 0-1 ended: "),
        ] {
            let error = start(script).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
        let error = Load::start(plan(), Path::new("/proc/no-such-program"), &[]).unwrap_err();
        assert!(matches!(error, LoadError::Start { .. }), "{error}");
    }
}
