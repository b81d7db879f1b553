//! From what was judged to the lines of a record, and from a recorded rule back to the rule.

use super::Session;
use super::document;
use super::judged::Judged;
use crate::output::wire::machine_identity;
use api::{RecordBegin, RecordCase, RecordRule, RecordRuling, RecordSubmission, Repeat, RulingDecision};
use judge::{CaseJudgement, Station};
use model::{Nanos, Reading, RunResult};
use ruling::{RuleNumbers, Ruling, TimeRule};
use std::collections::BTreeMap;
use std::time::SystemTime;

/// Options of the kernel's build that say how exactly it counts a program's time.
const KERNEL_OPTIONS: [&str; 7] = [
    "CONFIG_HZ",
    "CONFIG_IRQ_TIME_ACCOUNTING",
    "CONFIG_NO_HZ_FULL",
    "CONFIG_NO_HZ_IDLE",
    "CONFIG_PARAVIRT_TIME_ACCOUNTING",
    "CONFIG_TICK_CPU_ACCOUNTING",
    "CONFIG_VIRT_CPU_ACCOUNTING_GEN",
];

/// Writes down what all verdicts of a judging rest on.
pub fn begin(session: &Session<'_>, station: &Station) -> RecordBegin {
    let kind = &session.package.kind;
    let mut unavailable = api::Unavailable::new();
    RecordBegin {
        tauto_version: env!("CARGO_PKG_VERSION").to_owned(),
        began_at: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        arguments: std::env::args_os().skip(1).map(|text| text.to_string_lossy().into_owned()).collect(),
        package: session.description.clone(),
        is_graded: kind.scoring || session.package.grader.is_some(),
        has_checks_between_runs: kind.interactive || kind.multi_pass.is_some(),
        case_count: session.case_count as u64,
        machine: machine_identity(&session.machine),
        kernel_options: kernel_options(&mut unavailable),
        timed_cpus: station.timed_cpus().to_string(),
        helper_cpus: station.helper_cpus().to_string(),
        time_limit: document::time_limit(session),
        memory_limit_bytes: session.package.limits.memory.0,
        rule: rule(&session.rule, session.case_count),
        unavailable,
    }
}

/// Reads the kernel's options; the reason why they are not known goes to `unavailable`.
fn kernel_options(unavailable: &mut api::Unavailable) -> BTreeMap<String, String> {
    match probe::settings::kernel_options(&probe::Roots::host(), &KERNEL_OPTIONS) {
        Reading::Known(options) => options,
        Reading::Unavailable(why) => {
            unavailable.insert("kernel_options".to_owned(), why);
            BTreeMap::new()
        }
    }
}

/// Writes down the rule for submissions of so many cases.
pub fn rule(rule: &TimeRule, cases: usize) -> RecordRule {
    let TimeRule { limit, kill_limit, patience, numbers } = *rule;
    RecordRule {
        version: numbers.version,
        limit_ns: limit.0,
        kill_limit_ns: kill_limit.0,
        wall_limit_ns: rule.wall_limit().0,
        agreement_permille: numbers.agreement_permille,
        agreement_floor_ns: numbers.agreement_floor.0,
        margin_parts: numbers.margin_parts,
        runs_min: numbers.runs_min,
        runs_max: numbers.runs_max,
        spacing_ns: numbers.spacing.0,
        patience_ns: patience.0,
        repeats_allowed: rule.repeats_allowed(cases),
        numbers: numbers.named().map(|(name, value)| (name.to_owned(), value)).into(),
    }
}

/// Makes the rule that was written down for submissions of so many cases.
///
/// # Errors
/// When its version is not known, or has other numbers.
pub fn rule_of(recorded: &RecordRule, cases: u64) -> Result<TimeRule, String> {
    let version = recorded.version;
    let numbers = RuleNumbers::of_version(version).ok_or_else(|| format!("rule {version} is not known"))?;
    let known: BTreeMap<&str, u64> = numbers.named().into();
    for (name, value) in &recorded.numbers {
        match known.get(name.as_str()) {
            Some(known) if known == value => {}
            Some(known) => {
                return Err(format!("{name} of its rule is {value}, in rule {version} it is {known}"));
            }
            None => {
                return Err(format!("its rule has a number {name}, rule {version} has none of that name"));
            }
        }
    }
    let found = TimeRule {
        kill_limit: Nanos(recorded.kill_limit_ns),
        patience: Nanos(recorded.patience_ns),
        ..TimeRule::of(numbers, Nanos(recorded.limit_ns))
    };
    let again = RecordRule {
        numbers: recorded.numbers.clone(),
        ..rule(&found, usize::try_from(cases).unwrap_or(usize::MAX))
    };
    if again != *recorded {
        return Err(format!("rule {version} does not have the numbers of its rule"));
    }
    Ok(found)
}

/// Writes down a case.
pub fn case(rule: &TimeRule, submission: &str, case: &CaseJudgement) -> RecordCase {
    RecordCase {
        submission: submission.to_owned(),
        case: document::case_run(case),
        runs: repeats(&case.runs),
        earlier_passes: case.earlier_passes.iter().map(|runs| repeats(runs)).collect(),
        ruling: ruling(rule, case),
        passes: case.passes,
    }
}

fn repeats(runs: &[RunResult]) -> Vec<Repeat> {
    runs.iter().map(Repeat::from).collect()
}

/// Says again what the runs of a case came to; the rule is pure, so it cannot say anything else.
fn ruling(rule: &TimeRule, case: &CaseJudgement) -> Option<RecordRuling> {
    if case.runs.is_empty() {
        return None;
    }
    let failed = || case.judging_error.clone();
    let (decision, verdict, run, reason) = match rule.rule(&case.runs, u32::MAX) {
        Ruling::CheckOutput { run } => {
            (RulingDecision::CheckOutput, None, run, rule.describe(&case.runs[run]))
        }
        Ruling::Verdict { verdict, .. } if case.interactor.is_some() && verdict != case.verdict => {
            (RulingDecision::Interactor, None, case.decisive, "the interactor rejected it first".to_owned())
        }
        Ruling::Verdict { verdict, run, reason } => (RulingDecision::Verdict, Some(verdict), run, reason),
        Ruling::Undecided { run, reason } => (RulingDecision::Undecided, None, run, reason),
        Ruling::RunAgain { .. } if case.interactor.is_some() && case.judging_error.is_none() => {
            (RulingDecision::Interactor, None, case.decisive, "the interactor rejected it first".to_owned())
        }
        // The submission had used up its repeats.
        Ruling::RunAgain { reason } => {
            (RulingDecision::Undecided, None, case.decisive, failed().unwrap_or(reason))
        }
    };
    let run = u32::try_from(run).unwrap_or(u32::MAX);
    Some(RecordRuling { decision, verdict: verdict.map(Into::into), run, reason })
}

/// Writes down a submission.
pub fn submission(judged: &Judged) -> RecordSubmission {
    let mut submission = document::submission(judged);
    submission.runs.clear();
    RecordSubmission {
        submission,
        source_hash: judged.judgement.source_hash.clone(),
        program_hash: judged.judgement.program_hash.clone(),
    }
}
