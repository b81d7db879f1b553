//! What a judgehost does next: a state that takes events and returns actions. Pure.

mod languages;
mod problems;
#[cfg(test)]
mod tests;

use crate::error::{Failure, cut};
use crate::judges::{LanguageTested, Prepared, ProblemKey, Progress, Ticket};
use crate::operator_events::{self, OperatorEvent};
use crate::outbox::Answered;
use ::languages::SourceFile;
use documents::judgehost::{
    ClaimResponse, FailureScopeId, HeldJob, Job, JobFailed, LanguageTest, REASON_BYTES_MAX, ReportKind,
    ReportState,
};
use languages::{Languages, Test};
use problems::{Problems, State};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// How long jobs of a package that failed are left to other judgehosts.
const PACKAGE_REST: Duration = Duration::from_secs(300);
/// Most packages and languages that a claim excepts.
const EXCEPTED_MAX: usize = 64;
/// Longest id of a job; ours have two ids of the CLICS API.
const JOB_ID_BYTES_MAX: usize = 128;

#[derive(Clone, Debug)]
pub enum Action<P> {
    Fetch(Ticket, Arc<Job>),
    Load(ProblemKey, Arc<Job>),
    Test(String),
    /// End the test of a language that no job waits for.
    DropTest,
    Judge {
        ticket: Ticket,
        job: Arc<Job>,
        problem: P,
        limit_ns: Option<u64>,
        files: Vec<SourceFile>,
    },
    /// End a judging, or the fetching of its files.
    Cancel(Ticket),
    Report(Ticket, Arc<Job>, ReportKind, Option<Arc<Vec<u8>>>),
    /// Report no more of this job.
    Forget(Ticket),
    Emit(OperatorEvent),
}

#[derive(Debug)]
pub struct Desk<P> {
    jobs: BTreeMap<Ticket, OpenJob>,
    problems: Problems<P>,
    jobs_max: usize,
    next: u64,
    is_draining: bool,
    languages: Languages,
    /// The language that is tested while there is time.
    idle_test: Option<String>,
    packages_out: BTreeMap<String, Duration>,
}

#[derive(Debug)]
struct OpenJob {
    job: Arc<Job>,
    key: ProblemKey,
    phase: Phase,
    received: Duration,
    gathered: Duration,
    begun: Duration,
}

#[derive(Debug)]
enum Phase {
    /// Files or package are still missing.
    Gathering(Option<Vec<SourceFile>>),
    Judging,
    /// Its last report is on the way.
    Reported,
}

impl<P: Clone> Desk<P> {
    /// Takes at most `jobs_max` jobs at once, in these languages; in all if there are none.
    pub fn new(jobs_max: usize, tests: &[LanguageTest]) -> Self {
        Self {
            jobs: BTreeMap::new(),
            problems: Problems::default(),
            jobs_max,
            next: 0,
            is_draining: false,
            languages: Languages::new(tests),
            idle_test: None,
            packages_out: BTreeMap::new(),
        }
    }

    /// Returns how many more jobs it takes.
    pub fn room(&self) -> usize {
        let busy = self.jobs.values().filter(|held| !matches!(held.phase, Phase::Reported)).count();
        if self.is_draining { 0 } else { self.jobs_max.saturating_sub(busy) }
    }

    pub fn judging(&self) -> usize {
        self.jobs.values().filter(|held| matches!(held.phase, Phase::Judging)).count()
    }

    pub fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    pub fn is_draining(&self) -> bool {
        self.is_draining
    }

    pub fn held(&self) -> Vec<HeldJob> {
        let held = |held: &OpenJob| HeldJob { job: held.job.job.clone(), fence: held.job.fence };
        self.jobs.values().map(held).collect()
    }

    /// Returns whether only answers to last reports are missing.
    pub fn is_reported(&self) -> bool {
        self.jobs.values().all(|held| matches!(held.phase, Phase::Reported))
    }

    /// Lists the languages and packages whose jobs are for other judgehosts.
    pub fn exceptions(&mut self, now: Duration) -> (Vec<String>, Vec<String>) {
        self.packages_out.retain(|_, until| *until > now);
        let languages = self.languages.broken().take(EXCEPTED_MAX).cloned().collect();
        (languages, self.packages_out.keys().take(EXCEPTED_MAX).cloned().collect())
    }

    pub fn claimed(&mut self, now: Duration, claimed: ClaimResponse) -> Vec<Action<P>> {
        let mut actions = self.withdraw(&claimed.cancel, "cancelled");
        for job in claimed.jobs {
            if job.job.len() > JOB_ID_BYTES_MAX {
                actions.push(Action::Emit(warning("the server sent a job with a long id")));
                continue;
            }
            if let Some(ticket) = self.ticket_of(&job.job) {
                if self.jobs[&ticket].job.fence >= job.fence {
                    // The answer to an earlier claim was lost, and the server gives the lease again.
                    continue;
                }
                self.drop_job(ticket, "superseded by a newer lease", &mut actions);
            }
            self.begin(now, Arc::new(job), &mut actions);
        }
        self.ask_for_limits(&mut actions);
        if claimed.drain {
            actions.extend(self.taken_out(claimed.drain_reason.as_deref()));
        }
        actions
    }

    fn begin(&mut self, now: Duration, job: Arc<Job>, actions: &mut Vec<Action<P>>) {
        self.next += 1;
        let (ticket, key) = (Ticket(self.next), ProblemKey::of(&job));
        let phase = Phase::Gathering(None);
        let held = OpenJob {
            job: Arc::clone(&job),
            key: key.clone(),
            phase,
            received: now,
            gathered: now,
            begun: now,
        };
        self.jobs.insert(ticket, held);
        actions.push(Action::Emit(OperatorEvent::Received {
            job: job.job.clone(),
            problem: job.problem.clone(),
        }));
        if self.is_draining {
            return self.give_back(ticket, "the judgehost ends", actions);
        }
        match job.language.as_deref().map_or(Test::Works, |language| self.languages.need(language)) {
            Test::Broken => {
                let language = job.language.as_deref().unwrap_or_default();
                let why = format!("{language} does not work on this judgehost");
                return self.fail(now, ticket, Failure::new(FailureScopeId::Language, why), actions);
            }
            Test::Untested => actions.extend(job.language.clone().map(Action::Test)),
            Test::Testing | Test::Works => {}
        }
        match &self.idle_test {
            // A compiler that starts slowly takes ten seconds.
            Some(idle) if job.language.as_ref() != Some(idle) => actions.push(Action::DropTest),
            _ => self.idle_test = None,
        }
        actions.push(Action::Fetch(ticket, Arc::clone(&job)));
        if self.problems.begin(&key, now) {
            actions.push(Action::Load(key, job));
        }
    }

    pub fn fetched(
        &mut self,
        now: Duration,
        ticket: Ticket,
        files: Result<Vec<SourceFile>, Failure>,
    ) -> Vec<Action<P>> {
        let mut actions = Vec::new();
        match (self.jobs.get_mut(&ticket).map(|held| &mut held.phase), files) {
            (Some(Phase::Gathering(waiting)), Ok(files)) => {
                *waiting = Some(files);
                self.judge_ready(now, &mut actions);
            }
            (Some(Phase::Gathering(_)), Err(failure)) => self.fail(now, ticket, failure, &mut actions),
            _ => {}
        }
        actions
    }

    pub fn loaded(
        &mut self,
        now: Duration,
        key: &ProblemKey,
        result: Result<Prepared<P>, Failure>,
    ) -> Vec<Action<P>> {
        let mut actions = Vec::new();
        match result {
            Ok(prepared) => {
                let warnings = prepared.warnings.iter().take(EXCEPTED_MAX).cloned();
                actions.extend(warnings.map(|text| Action::Emit(warning(text))));
                actions.push(Action::Emit(OperatorEvent::Ready { package: key.package.clone() }));
                self.problems.put(key, prepared, now);
                self.ask_for_limits(&mut actions);
                self.judge_ready(now, &mut actions);
            }
            Err(failure) => {
                self.problems.remove(key);
                let waiting = self
                    .jobs
                    .iter()
                    .filter(|(_, held)| held.key == *key && matches!(held.phase, Phase::Gathering(_)));
                let waiting: Vec<Ticket> = waiting.map(|(ticket, _)| *ticket).collect();
                for ticket in waiting {
                    self.fail(now, ticket, failure.clone(), &mut actions);
                }
            }
        }
        actions
    }

    /// Reports derived limits, each by a job that waits for its package: the server decides which limit holds.
    fn ask_for_limits(&mut self, actions: &mut Vec<Action<P>>) {
        for (key, state) in self.problems.iter_mut() {
            let State::Derived { limit, asked, .. } = state else { continue };
            if asked.is_some_and(|ticket| self.jobs.contains_key(&ticket)) {
                continue;
            }
            let mut waiting = self.jobs.iter();
            let first =
                waiting.find(|(_, held)| held.key == *key && matches!(held.phase, Phase::Gathering(_)));
            let Some((ticket, held)) = first else { continue };
            *asked = Some(*ticket);
            let what = ReportKind::TimeLimit(Box::new(limit.clone()));
            actions.push(Action::Report(*ticket, Arc::clone(&held.job), what, None));
        }
    }

    /// Begins to judge every job whose files and package are there.
    fn judge_ready(&mut self, now: Duration, actions: &mut Vec<Action<P>>) {
        for (ticket, held) in &mut self.jobs {
            let Phase::Gathering(files) = &mut held.phase else { continue };
            let language = held.job.language.as_deref();
            if files.is_none() || language.is_some_and(|language| !self.languages.works(language)) {
                continue;
            }
            let Some((problem, limit_ns)) = self.problems.take(&held.key, now) else { continue };
            let files = files.take().unwrap_or_default();
            held.phase = Phase::Judging;
            (held.gathered, held.begun) = (now, now);
            let (ticket, job) = (*ticket, Arc::clone(&held.job));
            actions.push(Action::Judge { ticket, job, problem, limit_ns, files });
        }
    }

    pub fn progressed(&mut self, now: Duration, ticket: Ticket, progress: Progress) -> Vec<Action<P>> {
        let mut actions = Vec::new();
        let Some(held) = self.jobs.get_mut(&ticket) else { return actions };
        if !matches!(held.phase, Phase::Judging) {
            return actions;
        }
        let job = Arc::clone(&held.job);
        match progress {
            Progress::Begun => {
                held.begun = now;
                actions.push(Action::Report(ticket, job, ReportKind::Begun, None));
            }
            Progress::Run(run) => {
                actions.push(Action::Report(ticket, job, ReportKind::Runs { runs: vec![run] }, None));
            }
            Progress::Done { mut done, evidence } => {
                let micros = |duration: Duration| u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
                done.spent.fetching_us = micros(held.gathered.saturating_sub(held.received));
                done.spent.waiting_us = micros(held.begun.saturating_sub(held.gathered));
                done.spent.total_us = micros(now.saturating_sub(held.received));
                held.phase = Phase::Reported;
                actions.push(Action::Emit(operator_events::done(&job, &done)));
                let evidence = Some(Arc::new(evidence));
                actions.push(Action::Report(ticket, job, ReportKind::Done(done), evidence));
            }
            Progress::Failed(failure) => self.fail(now, ticket, failure, &mut actions),
            Progress::Doubted(why) => {
                // A job that comes back is judged elsewhere without end; one that failed here is one of few attempts.
                let why = cut(why, REASON_BYTES_MAX);
                self.fail(now, ticket, Failure::judgement(why.clone()), &mut actions);
                actions.extend(self.doubt(&why));
            }
        }
        actions
    }

    pub fn answered(&mut self, now: Duration, answers: &[Answered]) -> Vec<Action<P>> {
        let mut actions = Vec::new();
        for Answered { ticket, answer, is_last } in answers {
            let Some(held) = self.jobs.get(ticket) else { continue };
            match answer.state {
                ReportState::Taken if *is_last => {
                    actions.push(Action::Emit(OperatorEvent::Delivered { job: held.job.job.clone() }));
                    self.jobs.remove(ticket);
                }
                ReportState::Taken => {
                    if self.problems.settle(&held.key, *ticket, answer.time_limit_ns) {
                        self.judge_ready(now, &mut actions);
                    }
                }
                ReportState::Stale => self.drop_job(*ticket, "its lease has ended", &mut actions),
                ReportState::Cancelled => self.drop_job(*ticket, "cancelled", &mut actions),
            }
        }
        // A job that asked for a limit may be gone.
        self.ask_for_limits(&mut actions);
        actions
    }

    /// Ends jobs that this judgehost is no longer to judge.
    pub fn withdraw(&mut self, jobs: &[String], why: &str) -> Vec<Action<P>> {
        let mut actions = Vec::new();
        for job in jobs {
            if let Some(ticket) = self.ticket_of(job) {
                self.drop_job(ticket, why, &mut actions);
            }
        }
        self.ask_for_limits(&mut actions);
        actions
    }

    /// Forgets the packages that are ready, so that their space can be used.
    pub fn shed(&mut self) {
        self.problems.shed();
    }

    /// Ends jobs whose lease is gone. Of one that is reported the answer decides: it may have been taken in the meantime.
    pub fn stale(&mut self, leases: &[HeldJob]) -> Vec<Action<P>> {
        let mut actions = Vec::new();
        for lease in leases {
            let found = self.jobs.iter().find(|(_, held)| {
                held.job.job == lease.job
                    && held.job.fence == lease.fence
                    && !matches!(held.phase, Phase::Reported)
            });
            if let Some(ticket) = found.map(|(ticket, _)| *ticket) {
                self.drop_job(ticket, "its lease has ended", &mut actions);
            }
        }
        self.ask_for_limits(&mut actions);
        actions
    }

    /// As [`Self::drain`], at the request of the server.
    pub fn taken_out(&mut self, reason: Option<&str>) -> Vec<Action<P>> {
        if self.is_draining {
            return Vec::new();
        }
        let reason = reason
            .map_or_else(String::new, |reason| format!(": {}", cut(reason.to_owned(), REASON_BYTES_MAX)));
        let mut actions = vec![Action::Emit(warning(format!("the server takes this judgehost out{reason}")))];
        actions.extend(self.drain());
        actions
    }

    /// Takes no more jobs, and gives back those that have not begun.
    pub fn drain(&mut self) -> Vec<Action<P>> {
        let mut actions = Vec::new();
        if !self.is_draining {
            self.is_draining = true;
            actions.push(Action::Emit(OperatorEvent::Draining { judging: self.judging() }));
            self.give_back_all(
                |phase| matches!(phase, Phase::Gathering(_)),
                "the judgehost ends",
                &mut actions,
            );
        }
        actions
    }

    /// Gives back every job that is not reported.
    pub fn stop(&mut self) -> Vec<Action<P>> {
        let mut actions = self.drain();
        self.give_back_all(|phase| matches!(phase, Phase::Judging), "the judgehost was ended", &mut actions);
        actions
    }

    /// Takes no more jobs, and gives back every job that is not reported: this machine's results are not believed.
    fn doubt(&mut self, why: &str) -> Vec<Action<P>> {
        let mut actions = vec![Action::Emit(warning(format!("this judgehost takes itself out: {why}")))];
        actions.extend(self.drain());
        self.give_back_all(|phase| matches!(phase, Phase::Judging), why, &mut actions);
        actions
    }

    /// Drops all jobs without a report: another lease will be given.
    pub fn abandon(&mut self, why: &str) -> Vec<Action<P>> {
        let mut actions = Vec::new();
        for ticket in self.jobs.keys().copied().collect::<Vec<_>>() {
            self.drop_job(ticket, why, &mut actions);
        }
        actions
    }

    fn give_back_all(&mut self, which: impl Fn(&Phase) -> bool, why: &str, actions: &mut Vec<Action<P>>) {
        let found = self.jobs.iter().filter(|(_, held)| which(&held.phase)).map(|(ticket, _)| *ticket);
        for ticket in found.collect::<Vec<_>>() {
            self.give_back(ticket, why, actions);
        }
    }

    fn give_back(&mut self, ticket: Ticket, why: &str, actions: &mut Vec<Action<P>>) {
        let Some(held) = self.jobs.get_mut(&ticket) else { return };
        held.phase = Phase::Reported;
        let job = Arc::clone(&held.job);
        actions.push(Action::Cancel(ticket));
        actions.push(Action::Emit(OperatorEvent::Returned { job: job.job.clone(), reason: why.to_owned() }));
        actions.push(Action::Report(ticket, job, ReportKind::Returned { reason: why.to_owned() }, None));
    }

    fn fail(&mut self, now: Duration, ticket: Ticket, failure: Failure, actions: &mut Vec<Action<P>>) {
        let Some(held) = self.jobs.get_mut(&ticket) else { return };
        held.phase = Phase::Reported;
        let job = Arc::clone(&held.job);
        match failure.scope {
            FailureScopeId::Package => {
                self.packages_out.insert(job.package.hash.clone(), now + PACKAGE_REST);
            }
            FailureScopeId::Language => {
                if let Some(language) = &job.language {
                    self.languages.put(language, Test::Broken);
                }
            }
            FailureScopeId::Judgement | FailureScopeId::Machine | FailureScopeId::Undecided => {}
        }
        debug_assert!(failure.reason.len() <= REASON_BYTES_MAX);
        actions.push(Action::Cancel(ticket));
        actions.push(Action::Emit(OperatorEvent::Failed {
            job: job.job.clone(),
            scope: failure.scope,
            reason: failure.reason.clone(),
        }));
        actions.push(Action::Report(ticket, job, ReportKind::Failed(JobFailed::from(failure)), None));
    }

    fn drop_job(&mut self, ticket: Ticket, why: &str, actions: &mut Vec<Action<P>>) {
        let Some(held) = self.jobs.remove(&ticket) else { return };
        actions.push(Action::Cancel(ticket));
        actions.push(Action::Forget(ticket));
        actions
            .push(Action::Emit(OperatorEvent::Dropped { job: held.job.job.clone(), reason: why.to_owned() }));
    }

    fn ticket_of(&self, job: &str) -> Option<Ticket> {
        self.jobs.iter().find(|(_, held)| held.job.job == job).map(|(ticket, _)| *ticket)
    }

    pub fn tested(&mut self, now: Duration, language: &str, result: LanguageTested) -> Vec<Action<P>> {
        let mut actions = Vec::new();
        self.idle_test.take_if(|idle| idle == language);
        let why = match result {
            LanguageTested::Works => {
                self.languages.put(language, Test::Works);
                self.judge_ready(now, &mut actions);
                return actions;
            }
            LanguageTested::Dropped => {
                let is_needed = self.jobs.values().any(|held| held.job.language.as_deref() == Some(language));
                self.languages.put(language, if is_needed { Test::Testing } else { Test::Untested });
                actions.extend(is_needed.then(|| Action::Test(language.to_owned())));
                return actions;
            }
            LanguageTested::Broken(why) => why,
        };
        self.languages.put(language, Test::Broken);
        let failure = Failure::new(FailureScopeId::Language, format!("{language}: {why}"));
        actions.push(Action::Emit(warning(failure.reason.clone())));
        let waiting = self.jobs.iter().filter(|(_, held)| {
            held.job.language.as_deref() == Some(language) && matches!(held.phase, Phase::Gathering(_))
        });
        for ticket in waiting.map(|(ticket, _)| *ticket).collect::<Vec<_>>() {
            self.fail(now, ticket, failure.clone(), &mut actions);
        }
        actions
    }

    pub fn untested(&self) -> Vec<String> {
        self.languages.waiting().cloned().collect()
    }

    /// Returns a test for which there is time while there are no jobs.
    pub fn idle(&mut self) -> Option<Action<P>> {
        if !self.is_empty() || self.is_draining {
            return None;
        }
        let language = self.languages.next_untested()?;
        self.idle_test = Some(language.clone());
        Some(Action::Test(language))
    }
}

fn warning(message: impl Into<String>) -> OperatorEvent {
    OperatorEvent::Warning { message: message.into() }
}
