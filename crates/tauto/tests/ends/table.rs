//! The table: the state of a program when it is to end, the step, and the expected report.

use model::Verdict;

/// What a program does when it is to end; each is a way of `goes-on.h`.
#[derive(Clone, Copy, Debug)]
pub struct State {
    pub name: &'static str,
    pub end: End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It computes up to its limit on CPU time.
    CpuTime,
    /// It waits up to its limit on wall time.
    WallTime,
    /// It writes up to its limit on output.
    Output,
    /// It exits with code 0, while others that it has started go on.
    ByItself,
}

pub const STATES: [State; 16] = [
    // The first thread has ended, and the second one computes, waits or writes.
    state("spin", End::CpuTime),
    state("raw", End::CpuTime),
    state("sleep", End::WallTime),
    state("flood", End::Output),
    // The first thread is replaced by the second one, once or repeatedly.
    state("exec", End::CpuTime),
    state("exec-again", End::CpuTime),
    // A thread waits for a child that shares its memory: the first, the second, or the child's first one has ended.
    state("vfork", End::CpuTime),
    state("vfork-later", End::CpuTime),
    state("vfork-child", End::CpuTime),
    // All threads are stopped, before or after the first has ended; or a child is, and traced where that is allowed.
    state("stop", End::WallTime),
    state("stop-later", End::WallTime),
    state("traced", End::CpuTime),
    // Many processes whose first threads have ended: children, separate sessions, ever new ones.
    state("processes", End::CpuTime),
    state("sessions", End::CpuTime),
    state("breed", End::CpuTime),
    // The program has ended, and such a process continues.
    state("daemon", End::ByItself),
];

const fn state(name: &'static str, end: End) -> State {
    State { name, end }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Run,
    Bench,
    /// An experiment of `tauto lab`, which only runs its own programs: its testbed.
    Lab,
    /// `tauto judge`: the submission itself.
    Submission,
    /// A language's compile command.
    Compiler,
    /// A package's script that builds one of its programs.
    BuildScript,
    Checker,
    Interactor,
    StaticValidator,
    InputValidator,
    Grader,
}

impl Step {
    pub const ALL: [Self; 11] = [
        Self::Run,
        Self::Bench,
        Self::Lab,
        Self::Submission,
        Self::Compiler,
        Self::BuildScript,
        Self::Checker,
        Self::Interactor,
        Self::StaticValidator,
        Self::InputValidator,
        Self::Grader,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Bench => "bench",
            Self::Lab => "lab",
            Self::Submission => "submission",
            Self::Compiler => "compiler",
            Self::BuildScript => "build-script",
            Self::Checker => "checker",
            Self::Interactor => "interactor",
            Self::StaticValidator => "static",
            Self::InputValidator => "input",
            Self::Grader => "grader",
        }
    }

    /// Returns whether the test sets both time limits, far apart. Otherwise the wall-time limit follows from the other,
    /// and which one is reached first depends on the load of the machine.
    fn has_both_limits(self) -> bool {
        matches!(self, Self::Run | Self::Bench | Self::Lab)
    }
}

/// The expected report of a cell.
#[derive(Debug)]
pub struct Expected {
    /// The exit code of the command, where the step is one.
    pub code: Option<i32>,
    /// The allowed verdicts, if a submission is judged.
    pub verdicts: &'static [Verdict],
    /// The report must contain one of these.
    pub words: &'static [&'static str],
}

#[derive(Clone, Debug, Default)]
pub struct EndReport {
    pub code: Option<i32>,
    pub verdict: Option<Verdict>,
    /// How the program ended, in words, wherever they are reported.
    pub words: String,
    /// CPU time of each run of the program.
    pub cpu_times_ns: Vec<u64>,
    /// Processes and control groups that are left.
    pub left: Vec<String>,
    /// Why the slot is not usable afterwards.
    pub unusable: Option<String>,
}

/// How much CPU time over its limit a program may use until it is gone. Ending it takes some checks, each of which is
/// delayed if others have the CPUs: 1.8 s were seen next to timed runs of others on every CPU, which have the highest
/// weight.
pub const CPU_TIME_BEYOND_NS: u64 = 10_000_000_000;

/// Returns how a program ends in a step.
pub fn reached(step: Step, state: State) -> End {
    match state.end {
        // Output beyond what the submission reads is discarded.
        End::Output if step == Step::Interactor => End::CpuTime,
        end => end,
    }
}

/// Returns the expected report.
pub fn expected(step: Step, state: State) -> Expected {
    let words: &[&str] = match reached(step, state) {
        End::CpuTime if step.has_both_limits() => &["CPU time limit"],
        End::CpuTime => &["CPU time limit", "wall time limit"],
        End::WallTime => &["wall time limit"],
        End::Output => &["output limit"],
        End::ByItself => &["exit code 0"],
    };
    let by_itself = state.end == End::ByItself;
    let (code, verdicts): (i32, &[Verdict]) = match step {
        Step::Run => (i32::from(!by_itself), &[]),
        // Failures are counted like any other run.
        Step::Bench => (0, &[]),
        Step::Lab => return Expected { code: None, verdicts: &[], words },
        Step::Submission => {
            let verdicts: &[Verdict] = match state.end {
                End::CpuTime => &[Verdict::TimeLimitExceeded, Verdict::WallTimeLimitExceeded],
                End::WallTime => &[Verdict::WallTimeLimitExceeded],
                End::Output => &[Verdict::OutputLimitExceeded],
                End::ByItself => &[Verdict::WrongAnswer],
            };
            (1, verdicts)
        }
        // It has compiled, and prints nothing when it runs.
        Step::Compiler if by_itself => {
            return Expected { code: Some(1), verdicts: &[Verdict::WrongAnswer], words: &[""] };
        }
        Step::Compiler => (1, &[Verdict::CompileError]),
        // Either the package is wrong and no submission is judged, or everything succeeds.
        Step::BuildScript if by_itself => {
            return Expected { code: Some(0), verdicts: &[Verdict::Accepted], words: &[""] };
        }
        Step::BuildScript => (2, &[]),
        Step::Checker | Step::Interactor | Step::StaticValidator => (3, &[Verdict::JudgingError]),
        Step::Grader if by_itself => {
            return Expected {
                code: Some(3),
                verdicts: &[Verdict::JudgingError],
                words: &["expected one line with a verdict and a score"],
            };
        }
        Step::Grader => (3, &[Verdict::JudgingError]),
        // The input is reported as invalid, and the submission is judged.
        Step::InputValidator => (1, &[Verdict::Accepted]),
    };
    Expected { code: Some(code), verdicts, words }
}

/// Returns what is wrong with a cell; `None` if it passes.
pub fn complaint(step: Step, state: State, outcome: &EndReport) -> Option<String> {
    let expected = expected(step, state);
    let mut wrong = Vec::new();
    if outcome.code != expected.code {
        wrong.push(format!("exit code {:?}, expected {:?}", outcome.code, expected.code));
    }
    if !outcome.verdict.map_or(expected.verdicts.is_empty(), |verdict| expected.verdicts.contains(&verdict)) {
        wrong.push(format!("verdict {:?}, expected one of {:?}", outcome.verdict, expected.verdicts));
    }
    if !expected.words.iter().any(|words| outcome.words.contains(words)) {
        wrong.push(format!("none of {:?} is reported", expected.words));
    }
    let limit = super::LIMIT.0 + CPU_TIME_BEYOND_NS;
    if let Some(time) = outcome.cpu_times_ns.iter().find(|time| **time > limit) {
        wrong.push(format!("it used {time} ns of CPU time"));
    }
    wrong.extend(outcome.left.iter().map(|thing| format!("left: {thing}")));
    wrong.extend(outcome.unusable.iter().map(|why| format!("the slot is not usable afterwards: {why}")));
    (!wrong.is_empty()).then(|| format!("{}\n{}", wrong.join("; "), outcome.words))
}
