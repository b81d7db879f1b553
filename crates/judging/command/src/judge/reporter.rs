//! Reports and keeps results while judging continues.

use super::keep::Keeper;
use super::left_out;
use super::tables;
use documents::NotJudged;
use judge::{CaseJudgement, Judged, Judgement, Notice, Observer, OpenJudging, Phase, Problem, TimeLimit};
use model::Verdict;
use package::Package;
use record::{Journal, RecordError};
use ruling::TimeRule;
use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};
use terminal::progress::{Progress, is_quiet};
use terminal::prose::{error_columns, wrap};
use terminal::{Heartbeat, visible};

/// Receives each step: shows it, records it, keeps its files.
pub struct Reporter<'a> {
    progress: Progress,
    /// Prints the progress if no terminal shows it.
    heartbeat: Option<Heartbeat>,
    /// How times become verdicts, once that is known.
    rule: Option<TimeRule>,
    lines: bool,
    total: usize,
    case_total: usize,
    done: usize,
    /// For each open submission, by its name: the number of cases so far, and the first verdict that is not accepted.
    open: BTreeMap<String, (usize, Option<Verdict>)>,
    recorder: Option<Recorder<'a>>,
    keeper: Option<Keeper<'a>>,
    failure: Option<anyhow::Error>,
}

/// A record, and the data for its lines.
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
    pub fn new(total: usize, case_total: usize, keeper: Option<Keeper<'a>>) -> Self {
        let progress = Progress::on_stderr(true);
        progress.say("getting ready");
        let lines = !is_quiet() && !std::io::stderr().is_terminal();
        // Without a thread for it there is less output, which is no reason to stop.
        let heartbeat = lines.then(|| Heartbeat::start("getting ready")).and_then(Result::ok);
        Self {
            progress,
            heartbeat,
            rule: None,
            lines,
            total,
            case_total,
            done: 0,
            open: BTreeMap::new(),
            recorder: None,
            keeper,
            failure: None,
        }
    }

    /// Records results from here on.
    pub fn record_into(&mut self, journal: Journal, package: &'a Package, rule: TimeRule) {
        self.recorder = Some(Recorder { journal, package, rule });
    }

    pub fn judge_by(&mut self, problem: &Problem) {
        self.rule = Some(*problem.rule());
    }

    pub fn is_alive(&mut self, open: &[OpenJudging]) {
        let line = |one: &OpenJudging| {
            let cases = self.open.get(&one.submission).map_or(0, |(cases, _)| *cases);
            let name = format!("{} ({cases}/{})", one.submission, self.case_total);
            visible(&format!("{name}: {}", doing(one, self.rule.as_ref())))
        };
        let mut lines: Vec<String> = open.iter().map(line).collect();
        if let Some(heartbeat) = &self.heartbeat {
            heartbeat.note(lines.join("; "));
        }
        if self.total > 1 {
            lines.insert(0, format!("{} of {} judged", self.done, self.total));
        }
        self.progress.say_lines(lines);
    }

    /// Ends the report when all submissions are done.
    pub fn finish(self) -> anyhow::Result<()> {
        Ok(self.recorder.map_or(Ok(()), |recorder| recorder.journal.end())?)
    }

    /// Reports a submission's cases that were judged before.
    pub fn adopt(&mut self, at: usize, judgement: &Judgement) {
        for case in &judgement.cases {
            self.case_done(at, &judgement.name, case);
        }
    }

    /// Reports a finished submission.
    pub fn done(&mut self, at: usize, judged: &Judged) -> anyhow::Result<()> {
        self.open.remove(&judged.judgement.name);
        self.done += 1;
        // If a case cannot be written, nothing that depends on it is written.
        if let (Some(recorder), None) = (&mut self.recorder, &self.failure) {
            recorder.submission(judged)?;
        }
        if self.lines || self.progress.is_shown() {
            let text = format!("{}/{} {}", at + 1, self.total, tables::line(judged, self.rule.as_ref()));
            self.line(&text);
        }
        self.failure.take().map_or(Ok(()), Err)
    }

    pub fn left_out(&mut self, one: &NotJudged) {
        if let (Some(recorder), None) = (&mut self.recorder, &self.failure) {
            let recorded = recorder.journal.left_out(one.clone());
            self.note(recorded.map_err(Into::into));
        }
        if self.lines {
            self.line(&format!("not judged: {}", left_out::line(one)));
        }
    }

    fn note(&mut self, result: anyhow::Result<()>) {
        if let Err(error) = result {
            self.failure.get_or_insert(error);
        }
    }

    /// Stores the activity of a submission; a terminal shows it through [`Self::is_alive`].
    fn say(&self, at: usize, name: &str, what: &str) {
        if let Some(heartbeat) = &self.heartbeat {
            heartbeat.note(format!("{}/{} {name}: {what}", at + 1, self.total));
        }
    }

    fn goes_on(&self, what: String) {
        if let Some(heartbeat) = &self.heartbeat {
            heartbeat.note(what.as_str());
        }
        self.progress.say(visible(&what));
    }

    pub fn receive(&mut self, at: usize, name: &str, notice: &Notice) {
        let first = if self.case_total == 1 { "its case" } else { "the first case" };
        match notice {
            Notice::Preparing => self.say(at, name, &format!("compiling, then {first}")),
            Notice::Ran { case, attempt, .. } if *attempt > 1 => {
                self.say(at, name, &format!("{case} was run {attempt} times"));
            }
            Notice::Rests { case, reason } => self.say(at, name, &format!("{case} is run again: {reason}")),
            Notice::Waits { .. } => self.say(at, name, "waits for an undisturbed core"),
            Notice::Case(case) => self.case_done(at, name, case),
            Notice::Ran { .. } | Notice::Done(_) => {}
        }
    }

    fn case_done(&mut self, at: usize, name: &str, case: &CaseJudgement) {
        let (cases, worst) = self.open.entry(name.to_owned()).or_default();
        *cases += 1;
        if worst.is_none_or(|worst| worst == Verdict::Accepted) {
            *worst = Some(case.verdict);
        }
        let (cases, so_far) = (*cases, worst.map_or("", Verdict::words));
        self.say(at, name, &format!("case {cases}/{}, {so_far} so far", self.case_total));
        if self.lines && self.total == 1 {
            let time = case.time();
            self.line(&format!(
                "{name}: {}: {} ({}), took {time}",
                case.name,
                case.verdict.words(),
                case.verdict
            ));
        }
        if self.failure.is_some() {
            // A write error is reported at the end; later results would be incomplete.
            return;
        }
        let recorded = self.recorder.as_mut().map_or(Ok(()), |recorder| recorder.case(name, case));
        self.note(recorded.map_err(Into::into));
        let kept = self.keeper.as_ref().map_or(Ok(()), |keeper| keeper.case(name, case));
        self.note(kept);
    }

    fn line(&self, text: &str) {
        if let Some(heartbeat) = &self.heartbeat {
            heartbeat.reported();
        }
        // An error in printing the progress is no reason to stop.
        let lines = wrap("", 2, &visible(text), error_columns());
        self.progress.around(|| drop(write!(std::io::stderr(), "{lines}")));
    }
}

impl Observer for Reporter<'_> {
    fn time_limit(&mut self, limit: &TimeLimit) {
        self.goes_on(format!("time limit {} ({})", limit.limit, limit.origin));
    }

    fn checking_data(&mut self, case: &str) {
        self.goes_on(format!("test data: {case}"));
    }

    fn deriving(&mut self, name: &str) {
        self.goes_on(format!("{name}: judged first, since the time limit follows from it"));
    }

    fn is_alive(&mut self, open: &[OpenJudging]) {
        Reporter::is_alive(self, open);
    }
}

/// Returns a submission's phase, for how long it has lasted, and its maximum length.
fn doing(one: &OpenJudging, rule: Option<&TimeRule>) -> String {
    let spent = seconds(one.since.elapsed());
    let run_max = rule.map_or_else(String::new, |rule| format!(" of {} at most", rule.wall_limit()));
    match &one.phase {
        Phase::Queued => format!("waits for its turn, {spent}"),
        Phase::Compiling => format!("is compiled, {spent}"),
        Phase::TakingAnswers => format!("its answers are read, {spent}"),
        Phase::WarmingUp { case } => format!("warms up on {case}, {spent}{run_max}"),
        Phase::Running { case, attempt, .. } => format!("{case}, run {attempt}, {spent}{run_max}"),
        Phase::Checking { case } => format!("{case} is checked, {spent}"),
        Phase::Grading => format!("is graded, {spent}"),
        Phase::Resting { case, attempt, until } => {
            let left = seconds(until.saturating_duration_since(Instant::now()));
            format!("{case} rests before run {attempt}, {left} more")
        }
        Phase::WaitingForCalm { case, attempt, at_most } => {
            format!("{case} waits for a calm core before run {attempt}, {spent} of {at_most} at most")
        }
    }
}

/// Prints a duration to a tenth of a second.
fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
