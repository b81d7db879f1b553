//! Running one case until the rule is satisfied.

use crate::build::Built;
use crate::{JudgeError, Station};
use model::{Bytes, Limits, Nanos, RunEnd, RunResult, Verdict};
use package::{ProblemLimits, TestCase};
use ruling::{Ruling, TimeRule};
use sandbox::{MemoryInput, Mount, Output, Ran, RunIo, RunPlan, SandboxError, WORK, input_in_memory};
use std::cell::Cell;
use timing::Waited;

/// A warm-up run ends after this much CPU time at the latest; by then everything is loaded.
const WARM_UP_TIME_MAX: Nanos = Nanos::from_millis(500);

/// Room in the box beyond the limit on output, so that who passes it is seen to.
const BOX_SLACK: Bytes = Bytes::from_mib(1);

/// All runs of one case, and what they come to so far.
#[derive(Debug)]
pub struct CaseRuns {
    /// Every run, in order.
    pub runs: Vec<RunResult>,
    /// Which of them decides.
    pub decisive: usize,
    /// The verdict, unless the output is to be checked.
    pub verdict: Option<Verdict>,
    /// Why, in words; why it was run again comes first.
    pub reasons: Vec<String>,
    /// The output of the decisive run.
    pub stdout: Vec<u8>,
    /// The beginning of its standard error.
    pub stderr: Vec<u8>,
    /// Whether runs differed in output or end although none was about time.
    pub nondeterministic: bool,
    /// Why the runs do not tell, if they do not.
    pub undecided: Option<String>,
}

/// What happens to a run that writes more than its limit on output. A conversation is ended at the limit always.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OverOutput {
    /// It is ended.
    #[default]
    Stop,
    /// It runs on without what comes after the limit, and has broken it if it ends well.
    Late,
    /// It runs on, and what is within the limit is judged.
    Cut,
}

impl OverOutput {
    /// Makes the streams of a run.
    fn io(self, stdin: sandbox::Input) -> RunIo {
        let io = RunIo::captured(stdin);
        match self {
            Self::Stop => io,
            Self::Late => RunIo { stdout: Output::Cut { fails: true }, ..io },
            Self::Cut => RunIo { stdout: Output::Cut { fails: false }, ..io },
        }
    }
}

/// What one submission may still cause in repeats, over all its cases.
#[derive(Debug)]
pub(crate) struct Repeats {
    left: Cell<u32>,
    /// How long they may still wait for a calm core.
    patience: Cell<Nanos>,
}

impl Repeats {
    pub fn new(rule: &TimeRule, cases: usize) -> Self {
        Self { left: Cell::new(rule.repeats_allowed(cases)), patience: Cell::new(rule.patience) }
    }

    pub fn left(&self) -> u32 {
        self.left.get()
    }

    pub fn patience(&self) -> Nanos {
        self.patience.get()
    }

    pub fn have_waited(&self, time: Nanos) {
        self.patience.set(self.patience.get().saturating_sub(time));
    }

    /// Runs that come later may wait as long again.
    pub fn begin_later(&self, rule: &TimeRule) {
        self.patience.set(rule.patience);
    }

    pub fn use_one(&self) {
        self.left.set(self.left.get().saturating_sub(1));
    }
}

/// What runs of a submission have in common.
#[derive(Clone, Debug)]
pub(crate) struct RunSettings {
    pub rule: TimeRule,
    pub limits: ProblemLimits,
    pub allow_file_writing: bool,
    pub over_output: OverOutput,
}

impl RunSettings {
    /// Makes the plan of a submission on a case.
    pub fn plan(&self, built: &Built, case: &TestCase) -> RunPlan {
        let mut plan = built.plan(&case.args);
        plan.limits = Limits {
            cpu_time: Some(self.rule.kill_limit),
            wall_time: Some(self.rule.wall_limit()),
            memory: Some(self.limits.memory),
            output: Some(self.limits.output),
            ..plan.limits
        };
        plan.work_writable = self.allow_file_writing;
        // What a submission may leave in files, it could as well have written.
        plan.files_are_output = self.allow_file_writing;
        let room = Bytes(self.limits.output.0.saturating_add(BOX_SLACK.0));
        plan.limits.box_size = plan.limits.box_size.max(room);
        plan.mounts.extend(case.files.iter().map(|file| Mount {
            source: file.path.clone(),
            target: format!("{WORK}/{}", file.name.display()),
            writable: false,
        }));
        plan
    }
}

impl Station {
    /// Runs a case in the timed slot until the rule needs no more runs. Before the first repeat it asks
    /// whether the case is needed at all, and gives nothing if it is not.
    pub(crate) fn run_case(
        &self,
        (settings, built, case, input): (&RunSettings, &Built, &TestCase, &MemoryInput),
        repeats: &Repeats,
        still_needed: impl FnOnce() -> Result<bool, JudgeError>,
    ) -> Result<Option<CaseRuns>, JudgeError> {
        let mut still_needed = Some(still_needed);
        let mut runs = Vec::new();
        let mut outputs: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
        let mut reasons = Vec::new();
        // Nobody waits for a first run: it may well be within the limit, and then its core does not matter.
        let mut waited = Waited::default();
        loop {
            let io = settings.over_output.io(input.open()?);
            let mut ran = self.run_program(settings.plan(built, case), io, waited.hold)?;
            repeats.have_waited(ran.result.evidence.guard.known().map_or(Nanos::ZERO, |guard| guard.held));
            self.note_core(&settings.rule, &mut ran.result, waited.slowdown)?;
            runs.push(ran.result);
            outputs.push((ran.stdout, ran.stderr));
            let mut undecided = None;
            let (decisive, verdict) = match settings.rule.rule(&runs, repeats.left()) {
                Ruling::RunAgain { reason } => {
                    // Repeats are far apart: whatever else is known by now is worth hearing first.
                    if let Some(still_needed) = still_needed.take()
                        && !still_needed()?
                    {
                        return Ok(None);
                    }
                    reasons.push(format!("run again: {reason}"));
                    repeats.use_one();
                    waited = self.rest(&settings.rule, &runs, repeats)?;
                    continue;
                }
                Ruling::CheckOutput { run } => (run, None),
                Ruling::Verdict { verdict, run, reason } => {
                    reasons.push(reason);
                    (run, Some(verdict))
                }
                Ruling::Undecided { run, reason } => {
                    undecided = Some(reason);
                    (run, Some(Verdict::JudgingError))
                }
            };
            let nondeterministic = differ(&runs, &outputs);
            let (stdout, stderr) = outputs.swap_remove(decisive);
            return Ok(Some(CaseRuns {
                runs,
                decisive,
                verdict,
                reasons,
                stdout,
                stderr,
                nondeterministic,
                undecided,
            }));
        }
    }

    /// Runs a case once, untimed, so that the first timed run finds its files in memory.
    pub(crate) fn warm_up(
        &self,
        settings: &RunSettings,
        built: &Built,
        case: &TestCase,
        input: &MemoryInput,
    ) -> Result<(), JudgeError> {
        let mut plan = settings.plan(built, case);
        let time = settings.rule.limit.min(WARM_UP_TIME_MAX);
        plan.limits.cpu_time = Some(time);
        plan.limits.wall_time = Some(time.saturating_mul(2));
        self.run_program(plan, RunIo::captured(input.open()?), Nanos::ZERO)?;
        Ok(())
    }
}

/// A program that the submission's compiler made and that cannot be executed crashed at its start;
/// an interpreter that cannot be executed is our fault.
pub(crate) fn not_executable(plan: &RunPlan, error: SandboxError) -> Result<Ran, SandboxError> {
    /// What a shell answers in this case.
    const CANNOT_EXECUTE: u8 = 126;
    match error {
        SandboxError::Exec { program, source } if program.starts_with(sandbox::PROGRAM) => Ok(Ran {
            result: RunResult::never_executed(
                RunEnd::Exited(CANNOT_EXECUTE),
                plan.cpus.clone().unwrap_or_default(),
                "the program cannot be executed",
            ),
            stdout: Vec::new(),
            stderr: format!("{program} cannot be executed: {source}\n").into_bytes(),
            ended_at: Nanos::ZERO,
            guard_cpu_time: Nanos::ZERO,
        }),
        error => Err(error),
    }
}

/// Says whether runs that ended by themselves ended or wrote differently.
fn differ(runs: &[RunResult], outputs: &[(Vec<u8>, Vec<u8>)]) -> bool {
    let mut own_ends = runs
        .iter()
        .zip(outputs)
        .filter(|(run, _)| !matches!(run.end, RunEnd::Limit(_)))
        .map(|(run, (stdout, _))| (run.end, stdout));
    match own_ends.next() {
        Some(first) => own_ends.any(|other| other != first),
        None => false,
    }
}

/// Reads the input of a case into memory.
pub(crate) fn case_input(case: &TestCase) -> Result<MemoryInput, JudgeError> {
    let bytes = std::fs::read(&case.input).map_err(JudgeError::file("read", &case.input))?;
    Ok(input_in_memory(&bytes)?)
}
