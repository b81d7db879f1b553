//! What is told and kept while judging goes on.

use super::keep::Keeper;
use super::left_out::LeftOut;
use super::tables;
use crate::output::{Progress, visible};
use judge::{CaseJudgement, Judged, Judgement, Observer, TimeLimit};
use model::Verdict;
use package::Package;
use record::{Journal, RecordError};
use ruling::TimeRule;
use std::io::{IsTerminal, Write};

/// Hears each step: shows it, records it, keeps its files.
pub struct Reporter<'a> {
    progress: Progress,
    lines: bool,
    total: usize,
    number: usize,
    case_total: usize,
    case_number: usize,
    worst: Option<Verdict>,
    recorder: Option<Recorder<'a>>,
    keeper: Option<Keeper<'a>>,
    failure: Option<anyhow::Error>,
}

/// A record, and what its lines are made with.
struct Recorder<'a> {
    journal: Journal,
    package: &'a Package,
    rule: TimeRule,
}

impl Recorder<'_> {
    fn case(&mut self, submission: &str, case: &CaseJudgement) -> Result<(), RecordError> {
        self.journal.case(case.recorded(&self.rule, submission))
    }

    fn submission(&mut self, judged: &Judged) -> Result<(), RecordError> {
        self.journal.submission(judged.recorded(judged.judgement.group_documents(self.package)))
    }
}

impl<'a> Reporter<'a> {
    /// Begins to hear of `total` submissions.
    pub fn new(total: usize, case_total: usize, quiet: bool, keeper: Option<Keeper<'a>>) -> Self {
        let progress = Progress::on_stderr(!quiet);
        progress.say("getting ready");
        Self {
            progress,
            lines: !quiet && !std::io::stderr().is_terminal(),
            total,
            number: 0,
            case_total,
            case_number: 0,
            worst: None,
            recorder: None,
            keeper,
            failure: None,
        }
    }

    /// Records from here on what is done.
    pub fn record_into(&mut self, journal: Journal, package: &'a Package, rule: TimeRule) {
        self.recorder = Some(Recorder { journal, package, rule });
    }

    /// Hears that all submissions are done.
    ///
    /// # Errors
    /// When that could not be recorded.
    pub fn finish(self) -> anyhow::Result<()> {
        Ok(self.recorder.map_or(Ok(()), |recorder| recorder.journal.end())?)
    }

    /// Goes on to the next submission.
    pub fn next(&mut self) {
        self.number += 1;
        self.case_number = 0;
        self.worst = None;
    }

    /// Hears of a submission's cases that were judged out of hearing.
    pub fn adopt(&mut self, judgement: &Judgement) {
        for case in &judgement.cases {
            self.case_done(&judgement.name, case);
        }
    }

    /// Hears that a submission is done.
    ///
    /// # Errors
    /// When a result could not be recorded or kept.
    pub fn done(&mut self, judged: &Judged) -> anyhow::Result<()> {
        if let Some(recorder) = &mut self.recorder {
            recorder.submission(judged)?;
        }
        // On a terminal the table comes soon enough, but for what needs a look.
        if self.lines || (judged.as_expected() == Some(false) && self.progress.is_shown()) {
            let text = format!("{}/{} {}", self.number, self.total, tables::line(judged));
            self.line(&text);
        }
        self.failure.take().map_or(Ok(()), Err)
    }

    /// Hears that a submission is not judged.
    pub fn left_out(&self, one: &LeftOut) {
        if self.lines {
            self.line(&format!("not judged: {}", one.line()));
        }
    }

    fn note(&mut self, result: anyhow::Result<()>) {
        if let Err(error) = result {
            self.failure.get_or_insert(error);
        }
    }

    fn say(&self, name: &str, what: &str) {
        let place = if self.number == 0 { String::new() } else { format!("{}/{} ", self.number, self.total) };
        self.progress.say(visible(&format!("{place}{name}: {what}")));
    }

    fn line(&self, text: &str) {
        // Progress that nobody reads is no reason to stop.
        self.progress.around(|| drop(writeln!(std::io::stderr(), "{}", visible(text))));
    }
}

impl Observer for Reporter<'_> {
    fn time_limit(&mut self, limit: &TimeLimit) {
        self.progress.say(format!("time limit {} ({})", limit.limit, limit.origin));
    }

    fn checking_data(&mut self, case: &str) {
        self.progress.say(visible(&format!("test data: {case}")));
    }

    fn submission_begins(&mut self, name: &str, _cases: usize) {
        let what =
            if self.number == 0 { "judged first, since the time limit follows from it" } else { "begins" };
        self.say(name, what);
    }

    fn compiling(&mut self, name: &str) {
        let first = if self.case_total == 1 { "its case" } else { "the first case" };
        self.say(name, &format!("compiling, then {first}"));
    }

    fn case_done(&mut self, name: &str, case: &CaseJudgement) {
        self.case_number += 1;
        if self.worst.is_none_or(|worst| worst == Verdict::Accepted) {
            self.worst = Some(case.verdict);
        }
        let so_far = self.worst.map_or("", Verdict::words);
        self.say(name, &format!("case {}/{}, {so_far} so far", self.case_number, self.case_total));
        if self.lines && self.total == 1 {
            let time = case.cpu_time();
            self.line(&format!(
                "{name}: {}: {} ({}), CPU time {time}",
                case.name,
                case.verdict.words(),
                case.verdict
            ));
        }
        if self.failure.is_some() {
            // What could not be written once is told at the end; more of it would only be in pieces.
            return;
        }
        let recorded = self.recorder.as_mut().map_or(Ok(()), |recorder| recorder.case(name, case));
        self.note(recorded.map_err(Into::into));
        let kept = self.keeper.as_ref().map_or(Ok(()), |keeper| keeper.case(name, case));
        self.note(kept);
    }
}
