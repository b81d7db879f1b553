//! Prepared results in place of real runs.

use crate::backend::{Conversation, RunBackend, RunOutcome, Talk, TimedRun};
use crate::build::Compilation;
use crate::clock::Clock;
use crate::prepare::{Prepared, Ready};
use crate::untimed::{Answer, Job, Task};
use crate::{Checked, JudgeError};
use model::{Bytes, Evidence, LimitKind, Nanos, Reading, RunEnd, RunResult, Slowdown, Usage, Verdict};
use package::outcome::Feedback;
use rustix::event::{PollFd, PollFlags};
use std::fmt;
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard};

/// What a submission does in a run.
#[derive(Clone, Debug)]
pub enum Does {
    /// It uses this much CPU time and ends normally, or is killed at K.
    Takes(u64),
    /// The same, and it writes this.
    Writes(u64, &'static str),
    /// It writes this to standard error and ends with exit code 1.
    Crashes(String),
    Fails,
    Panics,
    /// It runs until it is cancelled, and sends a message when it begins.
    RunsOn(Sender<()>),
    Stays(Arc<Mutex<Receiver<()>>>),
}

/// Returns the outcome of a submission's n-th run on a case; warm-ups do not count.
type Script = dyn Fn(&str, &str, usize) -> Does + Send + Sync;

/// A place where nothing runs. The place's thread does everything itself, so the order of events is always the same.
pub struct Drawn {
    script: Box<Script>,
    untimed: Option<(&'static str, Does)>,
    /// A submission whose compilation lasts until the sender is dropped, while everything else continues.
    compiles_long: Option<(&'static str, Mutex<Receiver<()>>)>,
    clock: Clock,
    /// Compilations wait for this lock, so that a test can open several judgings first.
    pub gate: Mutex<()>,
    log: Mutex<Vec<String>>,
    /// How many further probes still find the core slow.
    pub slow_looks: Mutex<usize>,
}

impl fmt::Debug for Drawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Drawn").finish_non_exhaustive()
    }
}

impl Drawn {
    pub fn new(script: impl Fn(&str, &str, usize) -> Does + Send + Sync + 'static) -> Self {
        Self {
            script: Box::new(script),
            untimed: None,
            compiles_long: None,
            clock: Clock::made_up(),
            gate: Mutex::default(),
            log: Mutex::default(),
            slow_looks: Mutex::default(),
        }
    }

    /// Fails or panics in untimed work: in compilations, or in checks.
    pub fn failing_at(self, what: &'static str, does: Does) -> Self {
        Self { untimed: Some((what, does)), ..self }
    }

    /// Does untimed work in a helper's thread, and compiles this submission until the sender is dropped.
    pub fn compiling_long(self, name: &'static str, until: Receiver<()>) -> Self {
        Self { compiles_long: Some((name, Mutex::new(until))), ..self }
    }

    /// Returns the log: the name of a submission, and what was done.
    pub fn log(&self) -> Vec<String> {
        lock(&self.log).clone()
    }

    fn note(&self, submission: &str, what: &str) {
        lock(&self.log).push(format!("{submission} {what}"));
    }

    fn take_time(&self, time: Nanos) {
        self.clock.skip_to(self.clock.now() + time);
    }

    fn fail_untimed(&self, what: &'static str) -> Option<JudgeError> {
        match &self.untimed {
            Some((failing, Does::Panics)) if *failing == what => panic!("a drawn panic"),
            Some((failing, _)) if *failing == what => Some(failure()),
            _ => None,
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn failure() -> JudgeError {
    JudgeError::no_thread(std::io::Error::other("a drawn failure"))
}

impl RunBackend for Drawn {
    fn run(&self, run: &TimedRun<'_>) -> Result<RunOutcome, JudgeError> {
        let submission = run.ready.language.clone().unwrap_or_default();
        let is_warm_up = run.limits.cpu_time == judging_steps::WARM_UP_TIME_MAX;
        let what = format!("{} {}", if is_warm_up { "warms up on" } else { "runs on" }, run.case.name);
        let attempt = self.log().iter().filter(|line| **line == format!("{submission} {what}")).count() + 1;
        self.note(&submission, &what);
        let does =
            if is_warm_up { Does::Takes(1) } else { (self.script)(&submission, &run.case.name, attempt) };
        let (mut stdout, mut crash) = (Vec::new(), None);
        let time = match does {
            Does::Takes(ms) => Nanos::from_millis(ms),
            Does::Writes(ms, output) => {
                stdout.extend_from_slice(output.as_bytes());
                Nanos::from_millis(ms)
            }
            Does::Crashes(stderr) => {
                crash = Some(stderr.into_bytes());
                Nanos::from_millis(1)
            }
            Does::Fails => return Err(failure()),
            Does::Panics => panic!("a drawn panic"),
            Does::Stays(goes_on) => {
                let _ = lock(&goes_on).recv();
                Nanos::from_millis(1)
            }
            Does::RunsOn(notify) => {
                notify.send(()).unwrap();
                let event = run.cancel.event();
                rustix::event::poll(&mut [PollFd::new(&*event, PollFlags::IN)], None).unwrap();
                run.limits.cpu_time
            }
        };
        let is_killed = time >= run.limits.cpu_time;
        let cpu_time = time.min(run.limits.cpu_time);
        self.take_time(cpu_time);
        let end = if is_killed {
            RunEnd::Limit(LimitKind::CpuTime)
        } else {
            RunEnd::Exited(crash.is_some().into())
        };
        let usage = Usage { cpu_time, wall_time: cpu_time, ..Usage::default() };
        let run = RunResult { end, usage, evidence: Evidence::default() };
        Ok(RunOutcome { run, stdout, stderr: crash.unwrap_or_default() })
    }

    fn converse(&self, _run: &TimedRun<'_>, _talk: Talk<'_>) -> Result<Conversation, JudgeError> {
        Err(JudgeError::Bug("no conversation is simulated".to_owned()))
    }

    fn help(&self, job: Job) -> Answer {
        drop(lock(&self.gate));
        let name = |ready: &Ready| ready.language.clone().unwrap_or_default();
        match &job.task {
            Task::Compile(source) => {
                if let Some((_, until)) = self.compiles_long.as_ref().filter(|(name, _)| *name == source.name)
                {
                    let _ = lock(until).recv();
                }
                self.note(&source.name, "is compiled");
                if let Some(error) = self.fail_untimed("compilation") {
                    return job.failed(error);
                }
                let language = Some(source.name.clone());
                // As in the sandbox: a compiler that is killed has compiled nothing.
                if job.is_cancelled() {
                    let failure = Some("cc ended with signal 9".to_owned());
                    let compilation = Box::new(Compilation { failure, ..Compilation::default() });
                    return Answer::Prepared(Ok(Prepared::Refused { language, compilation }));
                }
                let (built, subject, compilation, count_spread, program_hash) = Default::default();
                let ready = Ready { built, subject, compilation, language, count_spread, program_hash };
                Answer::Prepared(Ok(Prepared::Ready(Box::new(ready))))
            }
            Task::Check { item, ready, .. } => {
                self.note(&name(ready), &format!("is checked on {item}"));
                if let Some(error) = self.fail_untimed("check") {
                    return job.failed(error);
                }
                let checked = Checked {
                    verdict: Verdict::Accepted,
                    difference: None,
                    output_start: None,
                    judge_message: String::new(),
                    team_message: String::new(),
                    score: None,
                    score_multiplier: None,
                    next_pass: None,
                    feedback: Feedback::default(),
                };
                Answer::Checked(*item, Ok((checked, None)))
            }
            _ => job.failed(JudgeError::Bug("nothing else is asked for here".to_owned())),
        }
    }

    fn can_overlap(&self) -> bool {
        self.compiles_long.is_some()
    }

    fn slowdown(&self) -> Result<Reading<Slowdown>, JudgeError> {
        let mut slow = lock(&self.slow_looks);
        let is_slow = *slow > 0;
        *slow = slow.saturating_sub(1);
        Ok(Reading::Known(Slowdown(if is_slow { 500 } else { 0 })))
    }

    fn post_guard(&self) {}

    fn warm_memory(&self, _used: &Reading<Bytes>) -> Result<(), JudgeError> {
        Ok(())
    }

    fn is_stopped(&self) -> bool {
        false
    }

    fn clock(&self) -> Clock {
        self.clock.clone()
    }
}
