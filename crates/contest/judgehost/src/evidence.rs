//! Reports and the record of a judging.

use crate::error::{Failure, cut};
use crate::judges::Progress;
use documents::judgehost::{COMPILE_OUTPUT_BYTES_MAX, FailureScopeId, JobDone, JobRun, JobSpent, JobSubtask};
use documents::{MachineIdentity, RecordCase, RecordEntry};
use judge::{CaseJudgement, Judged, Judgement, Problem, Station};
use model::{Nanos, Verdict};
use package::{Package, Step};
use record::{Basis, Chain, Circumstances, JudgingMachine, KERNEL_OPTIONS, LimitRecord};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

/// A package that is ready, with what is the same in all its records.
#[derive(Clone, Debug)]
pub struct RecordedProblem {
    pub problem: Arc<Problem>,
    description: Arc<documents::Package>,
    limit: Arc<LimitRecord>,
    ordinals: Arc<HashMap<String, u32>>,
}

/// The record of one judging while it goes on.
#[derive(Debug)]
pub struct Evidence {
    chain: Chain,
    bytes: Vec<u8>,
    problem: RecordedProblem,
    began: Instant,
    running: Nanos,
}

/// Reads what is the same in all records of a judgehost.
pub fn machine_of(station: &Station, identity: MachineIdentity) -> JudgingMachine {
    JudgingMachine {
        identity,
        kernel_options: settings::kernel_options(&system::Roots::host(), &KERNEL_OPTIONS),
        timed_cpus: station.timed_cpus(),
        helper_cpus: station.helper_cpus(),
        image: station.image().map(str::to_owned),
    }
}

impl RecordedProblem {
    /// Makes it; `hash` is that of the package's content.
    pub fn new(problem: Arc<Problem>, hash: String, limit: LimitRecord) -> Self {
        let package = problem.package();
        let description = judge::package_document(package, String::new(), Some(hash));
        let ordinals = ordinals(package);
        Self {
            problem,
            description: Arc::new(description),
            limit: Arc::new(limit),
            ordinals: Arc::new(ordinals),
        }
    }

    pub fn with_problem(&self, problem: Problem) -> Self {
        Self { problem: Arc::new(problem), ..self.clone() }
    }
}

fn ordinals(package: &Package) -> HashMap<String, u32> {
    let steps = package.steps().into_iter();
    let cases = steps.filter(|step| matches!(step, Step::Case(_)));
    cases.zip(1..).map(|(case, ordinal)| (case.name().to_owned(), ordinal)).collect()
}

impl Evidence {
    pub fn begin(problem: RecordedProblem, machine: &JudgingMachine) -> Self {
        let (rule, limit) = (*problem.problem.rule(), problem.problem.time_limit());
        let package = problem.problem.package();
        let basis = Basis { rule, case_count: package.steps().len(), is_selection: false };
        let begin = basis.begin(
            package,
            Circumstances {
                arguments: Vec::new(),
                package: (*problem.description).clone(),
                machine: machine.clone(),
                time_limit: problem.limit.document(
                    &rule,
                    limit.origin.to_string(),
                    problem.problem.counter(),
                ),
                not_judged: Vec::new(),
            },
        );
        let (chain, bytes, began) = (Chain::default(), Vec::new(), Instant::now());
        let mut made = Self { chain, bytes, problem, began, running: Nanos::ZERO };
        made.add(RecordEntry::Begin(Box::new(begin)));
        made
    }

    fn add(&mut self, entry: RecordEntry) {
        self.bytes.extend(self.chain.line(entry));
    }

    pub fn place_begins(&mut self) {
        self.began = Instant::now();
    }

    pub fn ran(&mut self, wall_time: Nanos) {
        self.running = self.running + wall_time;
    }

    /// Records a case; `name` is the submission's.
    pub fn case(&mut self, case: &CaseJudgement, name: &str) -> Option<Progress> {
        let ordinal = self.problem.ordinals.get(&case.name).copied();
        let recorded = case.recorded(self.problem.problem.rule(), name);
        self.add(RecordEntry::Case(Box::new(RecordCase { ordinal, ..recorded })));
        let ordinal = ordinal?;
        let memory = case.decisive_run().and_then(|run| run.usage.memory_peak.known());
        Some(Progress::Run(JobRun {
            ordinal,
            verdict: case.verdict.into(),
            cpu_time_ns: case.time().0,
            memory_peak_bytes: memory.map(|memory| memory.0),
            at_ms: u32::try_from(self.began.elapsed().as_millis()).unwrap_or(u32::MAX),
            for_jury: !case.other_outputs.is_empty(),
        }))
    }

    /// Records the judgement. One that is a judging error concerns this submission alone: a submission that makes a
    /// checker crash must not keep others from being judged.
    pub fn done(mut self, judgement: Judgement) -> Progress {
        let package = self.problem.problem.package();
        if judgement.verdict == Verdict::JudgingError {
            let failed = judgement.cases.iter().find(|case| case.verdict == Verdict::JudgingError);
            let scope = match failed.is_some_and(CaseJudgement::is_undecided) {
                true => FailureScopeId::Undecided,
                false => FailureScopeId::Judgement,
            };
            let reason = judgement.judging_error.unwrap_or_else(|| "the reason is not known".to_owned());
            return Progress::Failed(Failure::new(scope, reason));
        }
        let groups = judgement.group_documents(package);
        let is_subtask = |name: &str| name.strip_prefix("secret/").is_some_and(|rest| !rest.contains('/'));
        let subtasks = groups.iter().filter(|group| package.kind.scoring && is_subtask(&group.name));
        let subtasks = subtasks
            .map(|group| JobSubtask { name: group.name.clone(), score: finite(group.score.unwrap_or(0.0)) });
        let compilation = judgement.compilation.as_ref();
        let differing = judgement.cases.iter().filter(|case| case.nondeterministic);
        let ran = judgement.cases.iter().any(|case| case.decisive_run().is_some());
        let done = JobDone {
            verdict: judgement.verdict.into(),
            score: judgement.score.map(finite),
            subtasks: subtasks.collect(),
            max_run_time_ns: ran.then(|| judgement.slowest_time().0),
            compile_output: compilation
                .map(|compilation| cut(compilation.document().output, COMPILE_OUTPUT_BYTES_MAX)),
            evidence: None,
            nondeterministic: differing
                .filter_map(|case| self.problem.ordinals.get(&case.name).copied())
                .collect(),
            for_jury: judgement
                .for_jury()
                .filter_map(|case| self.problem.ordinals.get(&case.name).copied())
                .collect(),
            spent: JobSpent {
                compiling_us: compilation.map_or(0, |made| made.usage.wall_time.0 / 1000),
                running_us: self.running.0 / 1000,
                ..JobSpent::default()
            },
        };
        let submission = Judged::new(judgement, None).recorded(groups);
        self.add(RecordEntry::Submission(Box::new(submission)));
        self.add(self.chain.end());
        Progress::Done { done: Box::new(done), evidence: self.bytes }
    }
}

/// JSON has no other numbers.
fn finite(score: f64) -> f64 {
    if score.is_finite() { score } else { 0.0 }
}
