//! Checks whether recorded verdicts follow from recorded runs by the recorded rule.

use crate::rule::{RuleError, rule_of};
use documents::{
    Differs, OtherOutput, RecordBegin, RecordCase, RecordRuling, RecordSubmission, Repeat, RulingDecision,
};
use model::{RunResult, Verdict};
use ruling::{Ruling, TimeRule};
use std::collections::BTreeMap;

/// A judging while its lines are read.
#[derive(Debug)]
pub struct Judging {
    rule: TimeRule,
    /// Whether the total cannot be computed from the cases alone.
    is_graded: bool,
    has_checks_between_runs: bool,
    case_count: u64,
    repeats_allowed: u32,
    /// Cases whose submission has not been read yet.
    open: Vec<OpenCase>,
    pub submissions: u64,
    pub cases: u64,
}

#[derive(Debug)]
struct OpenCase {
    line: u64,
    submission: String,
    name: String,
    verdict: Verdict,
    /// Whether the jury decides about it.
    for_jury: bool,
    repeats: u64,
}

#[derive(Debug, Default)]
pub struct CaseCheck {
    /// What does not follow, in sentences.
    pub findings: Vec<String>,
    /// Whether the interactor took part in the verdict, which runs cannot show.
    pub with_interactor: bool,
}

impl Judging {
    /// Begins with the first line.
    pub fn begin(begin: &RecordBegin) -> Result<Self, RuleError> {
        let rule = rule_of(&begin.rule, begin.case_count)?;
        let documents::TimeLimit { value_ns, kill_limit_ns, .. } = begin.time_limit;
        if (value_ns, kill_limit_ns) != (Some(rule.limit.0), Some(rule.kill_limit.0)) {
            return Err(RuleError::Limit);
        }
        Ok(Self {
            rule,
            // A selection of cases has no graded total either: its cases decide as in any other problem.
            is_graded: begin.is_graded && !begin.is_selection,
            case_count: begin.case_count,
            has_checks_between_runs: begin.has_checks_between_runs,
            repeats_allowed: begin.rule.repeats_allowed,
            open: Vec::new(),
            submissions: 0,
            cases: 0,
        })
    }

    pub fn case(&mut self, line: u64, case: &RecordCase) -> CaseCheck {
        self.cases += 1;
        self.open.push(OpenCase {
            line,
            submission: case.submission.clone(),
            name: case.case.case.clone(),
            verdict: case.case.verdict.0,
            for_jury: !case.case.other_outputs.is_empty(),
            repeats: case.runs.len().saturating_sub(1).max(case.run_again.len()) as u64,
        });
        let mut check = CaseCheck::default();
        if let Err(why) = self.check_case(case, &mut check) {
            check.findings.push(format!("{} of {}: {why}", case.case.case, case.submission));
        }
        check
    }

    fn check_case(&self, case: &RecordCase, check: &mut CaseCheck) -> Result<(), String> {
        let verdict = case.case.verdict.0;
        if case.judging_error.is_some() && verdict != Verdict::JudgingError {
            return Err(format!("it is {}, although there was an internal error", verdict.words()));
        }
        // The oldest records do not store why cases were run again.
        let repeats = case.runs.len().saturating_sub(1);
        if case.passes <= 1 && !case.run_again.is_empty() && case.run_again.len() != repeats {
            let times = case.run_again.len();
            return Err(format!("it has {} runs, but it was run again {times} times", case.runs.len()));
        }
        let shown = case.case.run_again.iter().map(|again| &again.reason);
        if !case.run_again.is_empty() && !case.case.run_again.is_empty() && !shown.eq(&case.run_again) {
            return Err("it shows other reasons to run it again than are recorded".to_owned());
        }
        let ruling = match (&case.ruling, case.runs.as_slice()) {
            // A static check, or an answer that was handed in.
            (None, []) => return Ok(()),
            (Some(ruling), [_, ..]) => ruling,
            (None, _) => return Err("there are runs, but no decision on them is recorded".to_owned()),
            (Some(_), []) => return Err("a decision is recorded, but no run".to_owned()),
        };
        let runs = runs(&case.runs)?;
        self.check_shown(case, ruling)?;
        self.check_other_outputs(case, &runs)?;
        self.check_earlier_passes(case)?;
        if self.has_checks_between_runs {
            let is_by_rule = ruling.decision == RulingDecision::Verdict;
            check.with_interactor = verdict != Verdict::Accepted && !is_by_rule;
            if matches!(ruling.decision, RulingDecision::CheckOutput | RulingDecision::Verdict) {
                self.check_decision(&runs, ruling)?;
            }
        } else {
            for count in 1..runs.len() {
                if !matches!(self.rule.rule(&runs[..count], u32::MAX), Ruling::RunAgain { .. }) {
                    return Err(format!("{count} of its {} runs were enough by the rule", runs.len()));
                }
            }
            self.check_decision(&runs, ruling)?;
        }
        if self.fits(case, ruling) { Ok(()) } else { Err(misfit(verdict, ruling)) }
    }

    /// Checks that the runs over the limit by which an acceptance may be luck are such runs, and are all whose time is.
    fn check_other_outputs(&self, case: &RecordCase, runs: &[RunResult]) -> Result<(), String> {
        let others = &case.case.other_outputs;
        let is_accepted = case.case.verdict.0 == Verdict::Accepted;
        // Of several passes a record does not say in which one a conversation ended.
        let is_comparable = is_accepted && (!self.has_checks_between_runs || case.passes <= 1);
        let before = match (runs.split_last(), is_comparable) {
            (Some((accepted, before)), true) => {
                let is_luck = |run: &&RunResult| self.rule.is_luck_after(accepted, run);
                let named = |at: usize| others.iter().any(|other| other.run as usize == at + 1);
                let hidden = before.iter().enumerate().find(|(at, run)| is_luck(run) && !named(*at));
                if let Some((at, run)) = hidden {
                    let time = run.usage.cpu_time;
                    return Err(format!(
                        "run {} took {time}, so the jury decides, but it is not named",
                        at + 1
                    ));
                }
                before.iter().map(|run| (run.end, is_luck(&run))).collect()
            }
            _ => Vec::new(),
        };
        let Some(first) = others.first() else { return Ok(()) };
        if !self.rule.numbers.jury_decides_other_output {
            return Err("its rule leaves nothing to the jury".to_owned());
        }
        if !is_accepted {
            return Err(format!("run {} wrote something else, but nothing is accepted", first.run));
        }
        if self.has_checks_between_runs {
            return Ok(());
        }
        let is_of = |other: &OtherOutput| {
            let run = (other.run as usize).checked_sub(1).and_then(|at| before.get(at));
            run.is_some_and(|(end, is_luck)| {
                documents::End::from(*end) == other.end && (*is_luck || other.differs == Differs::Output)
            })
        };
        match others.iter().find(|other| !is_of(other)) {
            Some(other) => {
                Err(format!("run {} is named, but is no such run before the accepted one", other.run))
            }
            None => Ok(()),
        }
    }

    /// Returns whether a case may have its verdict after this decision.
    fn fits(&self, case: &RecordCase, ruling: &RecordRuling) -> bool {
        let verdict = case.case.verdict.0;
        match ruling.decision {
            RulingDecision::CheckOutput => {
                matches!(verdict, Verdict::Accepted | Verdict::WrongAnswer | Verdict::JudgingError)
            }
            RulingDecision::Verdict => {
                // An interactor that fails first may be the cause of the submission's result.
                let has_failed = self.has_checks_between_runs && case.judging_error.is_some();
                ruling.verdict.is_some_and(|ruled| ruled.0 == verdict) || has_failed
            }
            RulingDecision::Undecided => verdict == Verdict::JudgingError,
            RulingDecision::Interactor => self.has_checks_between_runs && verdict == Verdict::WrongAnswer,
        }
    }

    /// Checks that the rule allowed the check of each pass before the last.
    fn check_earlier_passes(&self, case: &RecordCase) -> Result<(), String> {
        if case.earlier_passes.len() >= case.passes.max(1) as usize {
            return Err(format!(
                "{} passes come before the last of {}",
                case.earlier_passes.len(),
                case.passes
            ));
        }
        for (at, pass) in case.earlier_passes.iter().enumerate() {
            let runs = runs(pass).map_err(|why| format!("pass {}: {why}", at + 1))?;
            // Before version 6 a conversation that was repeated kept the runs of the former ones.
            let is_last = |run| run + 1 == runs.len() || !self.rule.numbers.jury_decides_other_output;
            let is_checked = !runs.is_empty()
                && matches!(self.rule.rule(&runs, u32::MAX), Ruling::CheckOutput { run } if is_last(run));
            if !is_checked {
                return Err(format!("by the rule the output of pass {} was not to be checked", at + 1));
            }
        }
        Ok(())
    }

    /// Compares the recorded decision with the rule's decision on all runs.
    fn check_decision(&self, runs: &[RunResult], recorded: &RecordRuling) -> Result<(), String> {
        let is_undecided = recorded.decision == RulingDecision::Undecided;
        let ruled = match self.rule.rule(runs, u32::MAX) {
            // Other cases may have used up the repeats that this one needed.
            Ruling::RunAgain { .. } if is_undecided => self.rule.rule(runs, 0),
            ruled => ruled,
        };
        let (decision, verdict, run) = match ruled {
            Ruling::CheckOutput { run } => (RulingDecision::CheckOutput, None, run),
            Ruling::Verdict { verdict, run, .. } => (RulingDecision::Verdict, Some(verdict), run),
            Ruling::Undecided { run, .. } => (RulingDecision::Undecided, None, run),
            Ruling::RunAgain { reason } => {
                return Err(format!("by the rule it had to be run again: {reason}"));
            }
        };
        let recorded_verdict = recorded.verdict.map(|verdict| verdict.0);
        let same = (decision, verdict, run) == (recorded.decision, recorded_verdict, recorded.run as usize);
        if same {
            return Ok(());
        }
        let words = |decision, verdict: Option<Verdict>, run: usize| {
            format!("{} (run {})", decided(decision, verdict), run.saturating_add(1))
        };
        Err(format!(
            "recorded is {}, but by the rule its runs give {}",
            words(recorded.decision, recorded_verdict, recorded.run as usize),
            words(decision, verdict, run)
        ))
    }

    /// Compares the figures that the report shows for the case with the run that they come from.
    fn check_shown(&self, case: &RecordCase, ruling: &RecordRuling) -> Result<(), String> {
        let (shown, runs) = (&case.case, &case.runs);
        let Some(run) = runs.get(ruling.run as usize) else {
            return Err(format!("run {} decided, but there are {}", u64::from(ruling.run) + 1, runs.len()));
        };
        let same = (shown.cpu_time_ns, shown.wall_time_ns, shown.instructions, shown.memory_peak_bytes)
            == (Some(run.cpu_time_ns), Some(run.wall_time_ns), run.instructions, run.memory_peak_bytes)
            && (shown.end.as_ref(), &shown.evidence) == (Some(&run.end), &run.evidence);
        if !same {
            return Err(format!("its figures are not those of run {}", ruling.run + 1));
        }
        if !shown.repeats.is_empty() && shown.repeats != *runs {
            return Err("its repeats are not its runs".to_owned());
        }
        Ok(())
    }

    /// Checks a submission against its cases.
    pub fn submission(&mut self, recorded: &RecordSubmission) -> Vec<String> {
        self.submissions += 1;
        let submission = &recorded.submission;
        let (own, others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.open).into_iter().partition(|case| case.submission == submission.name);
        self.open = others;
        let mut findings = Vec::new();
        let verdict = submission.verdict.0;
        let of = |wanted: Verdict| own.iter().find(|case| case.verdict == wanted);
        let words = verdict.words();
        if let Some(case) = of(Verdict::JudgingError)
            && verdict != Verdict::JudgingError
        {
            findings.push(format!("it is {words}, although line {} is a judging error", case.line));
        }
        if verdict == Verdict::CompileError {
            findings
                .extend(own.first().map(|case| format!("it is {words}, although line {} ran", case.line)));
        } else if !self.is_graded && verdict == Verdict::Accepted {
            let rejected = own.iter().find(|case| case.verdict != Verdict::Accepted);
            findings.extend(rejected.map(|case| {
                format!("it is {words}, although line {} is {}", case.line, case.verdict.words())
            }));
            if own.is_empty() {
                findings.push(format!("it is {words}, but no case of it is recorded"));
            }
        } else if !self.is_graded && verdict != Verdict::JudgingError && of(verdict).is_none() {
            findings.push(format!("it is {words}, but none of its recorded cases is"));
        }
        let depends =
            (verdict == Verdict::Accepted || submission.score.is_some()) && verdict != Verdict::JudgingError;
        let for_jury = own.iter().filter(|case| depends && case.for_jury).map(|case| &case.name);
        if !for_jury.eq(&submission.jury_decides) {
            findings.push("the cases for the jury to decide about are not those that it names".to_owned());
        }
        let mut seen = BTreeMap::new();
        for case in &own {
            if let Some(before) = seen.insert(case.name.as_str(), case.line) {
                findings.push(format!("{} is in line {before} and again in line {}", case.name, case.line));
            }
        }
        if own.len() as u64 > self.case_count {
            findings.push(format!("it has {} cases, but there are {}", own.len(), self.case_count));
        }
        let repeats: u64 = own.iter().map(|case| case.repeats).sum();
        if repeats > u64::from(self.repeats_allowed) {
            findings
                .push(format!("it was run again {repeats} times, the rule allows {}", self.repeats_allowed));
        }
        findings.iter().map(|why| format!("{}: {why}", submission.name)).collect()
    }

    /// Returns submissions that are missing although they have cases: the line of the first case and the submission's
    /// name.
    pub fn left_open(&self) -> Vec<(u64, &str)> {
        let mut open: Vec<(u64, &str)> = Vec::new();
        for case in &self.open {
            if !open.iter().any(|(_, name)| *name == case.submission) {
                open.push((case.line, &case.submission));
            }
        }
        open
    }
}

fn misfit(verdict: Verdict, ruling: &RecordRuling) -> String {
    let decided = decided(ruling.decision, ruling.verdict.map(|verdict| verdict.0));
    format!("it is {}, which does not follow from '{decided}'", verdict.words())
}

fn runs(recorded: &[Repeat]) -> Result<Vec<RunResult>, String> {
    let run = |(at, run)| RunResult::try_from(run).map_err(|why| format!("run {}: {why}", at + 1));
    recorded.iter().enumerate().map(run).collect()
}

fn decided(decision: RulingDecision, verdict: Option<Verdict>) -> String {
    match (decision, verdict) {
        (RulingDecision::CheckOutput, _) => "its output decides".to_owned(),
        (RulingDecision::Verdict, Some(verdict)) => verdict.words().to_owned(),
        (RulingDecision::Verdict, None) => "a verdict that is not named".to_owned(),
        (RulingDecision::Undecided, _) => "undecided".to_owned(),
        (RulingDecision::Interactor, _) => "the interactor decides".to_owned(),
    }
}
