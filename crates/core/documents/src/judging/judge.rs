//! The results of judging submissions: the document of `tauto judge`.

use crate::judging::time_limit::Derivation;
use crate::machines::identity::MachineIdentity;
use crate::run::{End, Evidence, NotARun};
use crate::values::{Unavailable, VerdictId, reading, value_or_reason};
use model::{Caveat, Clock, CpuSet, Nanos, Reading, RunEnd, RunResult, ScoreRules, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The report on one problem's submissions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JudgeReport {
    pub package: Package,
    pub machine: MachineIdentity,
    /// The digest of the image whose toolchains were used (`--image`); `null` for those of the machine.
    #[serde(default)]
    pub image: Option<String>,
    /// Id of the language that the caller asked for; `null` if each submission's was found out.
    pub language: Option<String>,
    /// The time limit and where it is from.
    pub time_limit: TimeLimit,
    /// Memory that a run may take; `null` if it is not limited.
    pub memory_limit_bytes: Option<u64>,
    /// Whether one run decided each case (`--quick`).
    #[serde(default)]
    pub quick: bool,
    /// Whether everything that was asked for was judged.
    pub complete: bool,
    /// Why not: a signal or an error in the middle, which also decides the exit code; the submissions that were done
    /// are here. `null` if everything was judged.
    pub cut_short: Option<String>,
    /// Each submission, in the order of judging.
    pub submissions: Vec<Submission>,
    /// Submissions that were left out, in the order of asking.
    #[serde(default)]
    pub not_judged: Vec<NotJudged>,
    /// Counts of submissions by outcome, without `not_judged`.
    pub summary: Summary,
    /// What a person should know, a sentence each.
    pub warnings: Vec<String>,
}

/// A submission that was left out while the others were judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotJudged {
    /// Its name, as its path in the package or as given.
    pub name: String,
    /// `unusable`: it cannot be read, is empty or too large, or in no known language; with `--skip-missing` also
    /// `not_installed`: its language is not, and `not_counted`: instructions of its language cannot be counted.
    pub cause: String,
    /// What is wrong with it.
    pub reason: String,
    /// What to do about it; `null` if nothing is known.
    pub hint: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Package {
    pub name: String,
    /// The problem's title in the first language that it has; `null` if it has none.
    pub title: Option<String>,
    /// The package format, such as `legacy` or `2025-09`.
    pub format: String,
    /// The folder or archive as given.
    pub path: String,
    /// Differs for different content; `null` if it was not computed.
    pub hash: Option<String>,
    /// By which rules points were computed; `null` for a pass-fail problem, and in older documents.
    #[serde(default)]
    pub scores: Option<ScoreBasis>,
}

/// By which rules points were computed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScoreBasis {
    pub rules: ScoreRules,
    /// Why these, one phrase; `null` in what a team gets.
    pub reason: Option<String>,
}

/// The CPU time that a run may take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimeLimit {
    /// The limit; `null` if it could not be derived, and then nothing ran.
    pub value_ns: Option<u64>,
    /// CPU time at which a run was ended; `null` likewise.
    pub kill_limit_ns: Option<u64>,
    /// What the limit is in: CPU time, or instructions as nominal time; absent in older documents, which have CPU time.
    #[serde(default)]
    pub clock: Clock,
    /// What counted the instructions, such as `qemu-x86_64 7.2.22`; `null` by CPU time. Only counts of the same counter are compared.
    #[serde(default)]
    pub counter: Option<String>,
    /// Where the limit is from, one phrase.
    pub source: String,
    /// What it follows from, as in `tautochrone/time-limit/1`; `null` if it was not derived.
    pub derivation: Option<Derivation>,
    /// Whether it was derived by an earlier call.
    pub reused: bool,
    /// File that keeps it; `null` if it is not kept.
    pub stored_in: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Submission {
    /// Its name, as its path in the package or as given.
    pub name: String,
    /// Its language's id; `null` if none was recognised.
    pub language: Option<String>,
    /// By how many per cent counts of the same program in this language differ; absent unless instructions are the clock and
    /// they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count_spread_percent: Option<f64>,
    /// Verdicts that are as expected; empty if nothing is expected.
    pub expected: Vec<VerdictId>,
    pub verdict: VerdictId,
    /// What makes a verdict that rests on time weaker than others.
    #[serde(default)]
    pub caveats: Vec<Caveat>,
    /// Whether that is as expected; `null` if nothing is expected, or a person has to look.
    pub as_expected: Option<bool>,
    /// Why it is not as expected, or what a person has to check; `null` if there is nothing to report.
    pub expectation_message: Option<String>,
    /// Its score; `null` in a pass-fail problem.
    pub score: Option<f64>,
    /// How it compiled; `null` if nothing was compiled.
    pub compile: Option<Compile>,
    /// One entry for each test case, in order.
    pub runs: Vec<CaseRun>,
    /// The case with the most CPU time; `null` if nothing ran.
    pub slowest: Option<Slowest>,
    /// Groups of cases, each before those inside it; empty if the problem has none.
    pub groups: Vec<GroupResult>,
    /// Cases for the jury to decide about, since a run over the limit wrote something else than the accepted run; while there
    /// are any, `verdict` is none yet. Absent if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jury_decides: Vec<String>,
    /// What a person should know, a sentence each.
    pub warnings: Vec<String>,
    /// How the verdict came about, a sentence each; empty without `--explain`.
    #[serde(default)]
    pub explanation: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Compile {
    /// Whether there is a program to run.
    pub succeeded: bool,
    /// CPU time of all commands together.
    pub cpu_time_ns: u64,
    /// Wall time of all commands together.
    pub wall_time_ns: u64,
    /// The most memory of any command.
    pub memory_peak_bytes: Option<u64>,
    /// What the commands wrote, shortened.
    pub output: String,
    /// Why a field here is `null`.
    pub unavailable: Unavailable,
}

/// One test case. Times, end and evidence are those of the run that decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CaseRun {
    /// The case's name, such as `secret/01-small`.
    pub case: String,
    pub verdict: VerdictId,
    /// CPU time of that run; `null` if nothing ran.
    pub cpu_time_ns: Option<u64>,
    /// Wall-clock time of that run; `null` if nothing ran.
    pub wall_time_ns: Option<u64>,
    /// Instructions of that run; absent unless they are the clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<u64>,
    /// Most memory that run held.
    pub memory_peak_bytes: Option<u64>,
    /// How that run ended; `null` if nothing ran.
    pub end: Option<End>,
    /// What was observed around that run.
    pub evidence: Evidence,
    /// The case's score; `null` in a pass-fail problem.
    pub score: Option<f64>,
    /// The validator's message to the jury; `null` if it wrote none.
    pub judge_message: Option<String>,
    /// The validator's message to the team; `null` if it wrote none.
    pub team_message: Option<String>,
    /// The line of standard error that first names an error, and its last line, each shortened; absent unless the verdict is
    /// `RTE` and something was written there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stderr_excerpt: Option<String>,
    /// Where the output first differs; `null` if it is right, or a custom validator judged it.
    pub first_difference: Option<Difference>,
    /// Whether runs of this case differed in output or exit.
    pub nondeterministic: bool,
    /// Runs over the limit that wrote something else than the accepted run, or ended otherwise by themselves: then the jury
    /// decides. What a killed run wrote is something else only if the accepted output does not begin with it. Absent if
    /// there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_outputs: Vec<OtherOutput>,
    /// What the accepted run wrote, of the last pass if there were several; absent unless `other_outputs` has some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted_output: Option<WrittenOutput>,
    /// Every run of the case in order, if there was more than one.
    pub repeats: Vec<Repeat>,
    /// Why it was run again, each time; absent in older records.
    #[serde(default)]
    pub run_again: Vec<RunAgain>,
    /// Why a field here is `null`.
    pub unavailable: Unavailable,
}

/// Why a case was run again, once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunAgain {
    /// The pass, from 1.
    pub pass: u32,
    /// The run of that pass after which it was run again, from 1.
    pub run: u32,
    /// Why one more run was needed.
    pub reason: String,
}

/// One of several runs of a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Repeat {
    pub cpu_time_ns: u64,
    pub wall_time_ns: u64,
    /// Instructions; absent unless they are the clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<u64>,
    /// The user part of the CPU time, by which a count is believed or not; absent likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_time_ns: Option<u64>,
    /// Most memory held.
    pub memory_peak_bytes: Option<u64>,
    pub end: End,
    pub evidence: Evidence,
    /// Why a field here is `null`.
    pub unavailable: Unavailable,
}

/// Where an output first differs from the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// The line of the output, from 1.
    pub line: u64,
    /// The byte in the line, from 1.
    pub column: u64,
    /// The word of the output, from 1.
    pub token: u64,
    /// The line of the answer, from 1.
    pub answer_line: u64,
    /// What the answer has there, shortened.
    pub expected: String,
    /// What the output has there, shortened.
    pub got: String,
    /// Both in one sentence.
    pub message: String,
}

/// The case with the most CPU time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Slowest {
    pub case: String,
    pub cpu_time_ns: u64,
}

/// A group of cases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GroupResult {
    /// The group's path, such as `secret/group1`.
    pub name: String,
    /// `null` if it was not reached.
    pub verdict: Option<VerdictId>,
    /// Its score; `null` in a pass-fail problem.
    pub score: Option<f64>,
    /// The best score it can give; `null` if it is not bounded.
    pub max_score: Option<f64>,
}

/// Counts of submissions by outcome; `as_expected`, `unexpected` and `without_expectation` add up to `submissions`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    pub submissions: u64,
    /// Those that came out as expected.
    pub as_expected: u64,
    /// Those that did not.
    pub unexpected: u64,
    /// Those of which nothing is expected, or a person has to look.
    pub without_expectation: u64,
    pub judging_errors: u64,
    /// All runs, repeated ones included.
    pub runs: u64,
    /// How many submissions got each verdict, without verdicts that none got.
    pub verdicts: BTreeMap<String, u64>,
}

impl Summary {
    pub fn of(submissions: &[Submission]) -> Self {
        let mut summary = Self::default();
        for submission in submissions {
            summary.submissions += 1;
            match submission.as_expected {
                Some(true) => summary.as_expected += 1,
                Some(false) => summary.unexpected += 1,
                None => summary.without_expectation += 1,
            }
            if submission.verdict.0 == Verdict::JudgingError {
                summary.judging_errors += 1;
            }
            let ran = submission.runs.iter().filter(|run| run.end.is_some());
            summary.runs += ran.map(|run| run.repeats.len().max(1) as u64).sum::<u64>();
            *summary.verdicts.entry(submission.verdict.0.clics_id().to_owned()).or_default() += 1;
        }
        summary
    }
}

impl Submission {
    /// Makes a submission with a verdict and nothing else.
    pub fn new(name: impl Into<String>, verdict: Verdict) -> Self {
        Self {
            name: name.into(),
            language: None,
            count_spread_percent: None,
            expected: Vec::new(),
            verdict: verdict.into(),
            caveats: Vec::new(),
            as_expected: None,
            expectation_message: None,
            score: None,
            compile: None,
            runs: Vec::new(),
            slowest: None,
            groups: Vec::new(),
            jury_decides: Vec::new(),
            warnings: Vec::new(),
            explanation: Vec::new(),
        }
    }

    /// Adds the runs and finds the slowest of them.
    #[must_use]
    pub fn with_runs(self, runs: Vec<CaseRun>) -> Self {
        // Of several with the same time the first is reported, not the last that `max_by_key` gives.
        let ran = runs.iter().rev().filter_map(|run| Some((run.cpu_time_ns?, run)));
        let slowest = ran.max_by_key(|(cpu_time_ns, _)| *cpu_time_ns);
        let slowest = slowest.map(|(cpu_time_ns, run)| Slowest { case: run.case.clone(), cpu_time_ns });
        Self { slowest, runs, ..self }
    }
}

impl Compile {
    /// Makes it from what all compile commands used together.
    pub fn new(succeeded: bool, usage: &model::Usage, output: String) -> Self {
        let (memory_peak_bytes, unavailable) = memory_peak(&usage.memory_peak);
        Self {
            succeeded,
            cpu_time_ns: usage.cpu_time.0,
            wall_time_ns: usage.wall_time.0,
            memory_peak_bytes,
            output,
            unavailable,
        }
    }
}

impl CaseRun {
    /// Makes it from the run that decided; none if nothing ran.
    pub fn new(case: impl Into<String>, verdict: Verdict, decisive: Option<&RunResult>) -> Self {
        const NOTHING_RAN: &str = "nothing was run";
        let nothing = RunResult::never_executed(RunEnd::Exited(0), CpuSet::new(), NOTHING_RAN);
        let Repeat {
            cpu_time_ns,
            wall_time_ns,
            instructions,
            memory_peak_bytes,
            end,
            evidence,
            mut unavailable,
            ..
        } = decisive.unwrap_or(&nothing).into();
        if decisive.is_none() {
            for field in ["cpu_time_ns", "wall_time_ns", "end"] {
                unavailable.insert(field.to_owned(), NOTHING_RAN.to_owned());
            }
        }
        Self {
            case: case.into(),
            verdict: verdict.into(),
            cpu_time_ns: decisive.map(|_| cpu_time_ns),
            wall_time_ns: decisive.map(|_| wall_time_ns),
            instructions,
            memory_peak_bytes,
            end: decisive.map(|_| end),
            evidence,
            score: None,
            judge_message: None,
            team_message: None,
            stderr_excerpt: None,
            first_difference: None,
            nondeterministic: false,
            other_outputs: Vec::new(),
            accepted_output: None,
            repeats: Vec::new(),
            run_again: Vec::new(),
            unavailable,
        }
    }

    /// Adds all runs of the case; a single one is not repeated.
    #[must_use]
    pub fn with_repeats(self, all: &[RunResult]) -> Self {
        let repeats = if all.len() > 1 { all.iter().map(Repeat::from).collect() } else { Vec::new() };
        Self { repeats, ..self }
    }
}

impl From<&RunResult> for Repeat {
    fn from(result: &RunResult) -> Self {
        let (memory_peak_bytes, unavailable) = memory_peak(&result.usage.memory_peak);
        Self {
            cpu_time_ns: result.usage.cpu_time.0,
            wall_time_ns: result.usage.wall_time.0,
            instructions: result.usage.instructions.known().map(|count| count.0),
            user_time_ns: result
                .usage
                .instructions
                .known()
                .and_then(|_| result.usage.user_time.known().map(|time| time.0)),
            memory_peak_bytes,
            end: result.end.into(),
            evidence: (&result.evidence).into(),
            unavailable,
        }
    }
}

impl TryFrom<&Repeat> for RunResult {
    type Error = NotARun;

    /// Takes back all that a document has of a run; what it has not, such as page faults, is unavailable.
    fn try_from(run: &Repeat) -> Result<Self, NotARun> {
        Ok(Self {
            end: (&run.end).try_into()?,
            usage: model::Usage {
                memory_peak: reading(
                    run.memory_peak_bytes.map(model::Bytes),
                    "memory_peak_bytes",
                    &run.unavailable,
                ),
                instructions: reading(
                    run.instructions.map(model::InstructionCount),
                    "instructions",
                    &run.unavailable,
                ),
                user_time: reading(run.user_time_ns.map(Nanos), "user_time_ns", &run.unavailable),
                ..model::Usage::of_times(Nanos(run.cpu_time_ns), Nanos(run.wall_time_ns), "not recorded")
            },
            evidence: (&run.evidence).try_into()?,
        })
    }
}

fn memory_peak(reading: &Reading<model::Bytes>) -> (Option<u64>, Unavailable) {
    let mut unavailable = Unavailable::new();
    (value_or_reason(reading, "memory_peak_bytes", &mut unavailable), unavailable)
}

/// A run over the limit, before the accepted one, that wrote something else or ended otherwise by itself, or took longer
/// than anything explains.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OtherOutput {
    /// The pass, from 1.
    pub pass: u32,
    /// The run of that pass, from 1; where conversations were repeated, which of them.
    pub run: u32,
    /// What differs from the accepted run.
    #[serde(default)]
    pub differs: Differs,
    #[serde(default)]
    pub cpu_time_ns: u64,
    pub end: End,
    /// What it wrote; in a conversation, what it sent.
    pub output: WrittenOutput,
}

/// What differs between a run over the limit and the accepted one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Differs {
    /// What it wrote, or how it ended by itself.
    #[default]
    Output,
    /// Only its time, by more than its evidence or any unseen disturbance accounts for.
    Time,
}

/// What a run wrote to standard output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WrittenOutput {
    pub bytes: u64,
    /// SHA-256 of all of it, in hexadecimal digits.
    pub sha256: String,
    /// Its first 4 KiB. What is no UTF-8 is replaced.
    pub start: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Isolation, IsolationKind, LimitKind};

    fn run(end: RunEnd) -> RunResult {
        RunResult {
            end,
            usage: model::Usage::of_times(Nanos(7), Nanos(9), "not recorded"),
            evidence: model::Evidence {
                cpus: "1-2".parse().unwrap(),
                steal: Reading::Known(Nanos::from_millis(20)),
                heat_throttles: Reading::Known(1),
                throttled: Reading::unavailable("no controller"),
                isolation: Isolation {
                    kind: IsolationKind::Partition,
                    weaker_because: None,
                    lost: Some("a CPU went".to_owned()),
                },
                ..model::Evidence::default()
            },
        }
    }

    #[test]
    fn a_recorded_run_is_the_run_that_was_judged() {
        for end in [
            RunEnd::Exited(3),
            RunEnd::Signaled(11),
            RunEnd::Limit(LimitKind::CpuTime),
            RunEnd::Limit(LimitKind::WallTime),
            RunEnd::Limit(LimitKind::Memory),
            RunEnd::Limit(LimitKind::Output),
        ] {
            let text = serde_json::to_string(&Repeat::from(&run(end))).unwrap();
            let back: Repeat = serde_json::from_str(&text).unwrap();
            assert_eq!(RunResult::try_from(&back), Ok(run(end)));
        }
    }

    #[test]
    fn malformed_recorded_run_is_refused() {
        let refused = |change: fn(&mut Repeat)| {
            let mut recorded = Repeat::from(&run(RunEnd::Exited(0)));
            change(&mut recorded);
            RunResult::try_from(&recorded).unwrap_err().to_string()
        };
        assert_eq!(refused(|run| run.end.code = None), "its end has no code");
        assert_eq!(refused(|run| run.evidence.cpus = "x".to_owned()), "its CPUs 'x' are no list of CPUs");
        assert_eq!(
            refused(|run| run.evidence.isolation = "full".to_owned()),
            "its isolation 'full' is none of none, affinity, cpuset and partition"
        );
    }
}
