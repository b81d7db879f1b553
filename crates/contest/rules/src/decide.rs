//! Decides on commands: the events that a command results in, or a refusal that names what was expected. Changes nothing itself.

mod clarifications;
mod commentary;
mod contest;
mod files;
mod import;
mod jury;
mod people;
mod rejudging;
mod reports;
mod server;
mod statements;
mod submit;
mod texts;
mod timing;

use crate::state::{Contest, Judgement, Submission};
use crate::{
    Action, Actor, Body, Caller, Command, ContestId, Event, Instant, JudgehostId, JudgementKey, ProblemId,
    Refusal, State, SubmissionNumber, TeamId, roles,
};
use model::{Message, message};
use std::collections::BTreeMap;
use std::fmt::Display;
pub use texts::TEXT_LENGTH_MAX;
use texts::{
    check_length, check_line, check_name, check_optional, check_optional_text, check_text, visible_part,
};

/// Returns the events that a command results in: all of them are stored, or none.
pub fn decide(state: &State, caller: &Caller, now: Instant, command: Command) -> Result<Vec<Event>, Refusal> {
    roles::may(state, caller, &command)?;
    let now = now.max(state.time);
    let context = Context { state, caller, now };
    match command {
        Command::In(id, action) => {
            let contest = find("contest", &state.contests, &id)?;
            InContest { context, id: &id, contest }.decide(action)
        }
        Command::SetContest(id, settings) => context.set_contest(&id, *settings),
        Command::RemoveContest(id) => context.remove_contest(&id),
        Command::Note(contest, text) => {
            check_text("text", &text)?;
            if let Some(id) = &contest {
                state.view(caller, id)?;
            }
            Ok(vec![context.event(contest.as_ref(), Body::Noted(text))])
        }
        Command::Tick => Ok(context.tick()),
        command => context.decide_for_server(command),
    }
}

#[derive(Clone, Copy)]
struct Context<'a> {
    state: &'a State,
    caller: &'a Caller,
    now: Instant,
}

#[derive(Clone, Copy)]
struct InContest<'a> {
    context: Context<'a>,
    id: &'a ContestId,
    contest: &'a Contest,
}

impl Context<'_> {
    fn actor(&self) -> Actor {
        match (&self.caller.judgehost, &self.caller.account) {
            (Some(host), _) => Actor::Judgehost(host.clone()),
            (None, Some(account)) => Actor::Account(account.clone(), self.caller.address.clone()),
            (None, None) => Actor::System,
        }
    }

    fn event(&self, contest: Option<&ContestId>, body: Body) -> Event {
        Event { time: self.now, actor: self.actor(), contest: contest.cloned(), body }
    }

    fn tick(&self) -> Vec<Event> {
        let is_due =
            |contest: &Contest| contest.settings.next_change(contest.time).is_some_and(|at| at <= self.now);
        let due = self.state.contests.iter().filter(|(_, contest)| is_due(contest));
        due.map(|(id, _)| self.event(Some(id), Body::Ticked)).collect()
    }
}

impl<'a> InContest<'a> {
    fn decide(self, action: Action) -> Result<Vec<Event>, Refusal> {
        if self.contest.happened().end_of_updates.is_some() && !is_allowed_after_end(&action) {
            let detail = message!(
                "event-feed-ended",
                "the contest is over, and its event feed has ended; open the result again first"
            );
            return Err(Refusal::conflict("final", detail));
        }
        let bodies = match action {
            Action::SetProblem(settings) => self.set_problem(*settings),
            Action::RemoveProblem(id) => self.remove_problem(&id),
            Action::PauseProblem(id, is_paused, reason) => self.pause_problem(&id, is_paused, reason),
            Action::VerifyProblem(id) => self.verify_problem(&id),
            Action::SetGroup(settings) => self.set_group(settings),
            Action::RemoveGroup(id) => self.remove_group(&id),
            Action::SetOrganization(settings) => self.set_organization(settings),
            Action::RemoveOrganization(id) => self.remove_organization(&id),
            Action::SetTeam(settings) => self.set_team(settings),
            Action::RemoveTeam(id) => self.remove_team(&id),
            Action::Register(team) => self.register(*team),
            Action::SetPerson(settings) => self.set_person(settings),
            Action::RemovePerson(id) => self.remove_person(&id),
            Action::SetFiles { of, property, files } => self.set_files(of, property, files),
            Action::Submit(submit) => self.submit(submit),
            Action::Ignore { submission, is_ignored, reason } => self.ignore(submission, is_ignored, reason),
            Action::Judge(number) => self.judge(number),
            Action::Override { submission, outcome, reason } => self.set_verdict(submission, outcome, reason),
            Action::VerifyJudgement { judgement, comment } => self.verify_judgement(judgement, comment),
            Action::StatementMade(made) => self.statement_made(*made),
            Action::Begun(key) => self.begun(key),
            Action::DerivedLimit { judgement, package, limit } => {
                self.derived_limit(judgement, &package, limit)
            }
            Action::Runs(key, runs) => self.runs(key, runs),
            Action::Judged(judged) => self.judged(judged),
            // A failed judgehost's other work, in whichever contest, goes back.
            Action::Failed { judgement, scope, reason } => return self.failed(judgement, scope, reason),
            Action::Returned { judgement, reason } => self.returned(judgement, reason),
            Action::OpenRejudging { selection, repeat, reason } => {
                self.open_rejudging(&selection, repeat, reason)
            }
            Action::ApplyRejudging(number) => self.apply_rejudging(number),
            Action::CancelRejudging(number) => self.cancel_rejudging(number),
            Action::SendClarification(content) => self.send_clarification(content),
            Action::ClaimClarification(number) => self.claim_clarification(number),
            Action::ReleaseClarification(number) => self.release_clarification(number),
            Action::DeliverBalloon(team, problem) => self.deliver_balloon(team, problem),
            Action::SetAward { id, citation, teams } => self.set_award(id, citation, teams),
            Action::RemoveAward(id) => self.remove_award(id),
            Action::Comment(comment) => self.comment(comment),
            Action::Start { at, countdown_pause } => self.start(at, countdown_pause),
            Action::StartNow => self.start_now(),
            Action::Countdown { remaining, is_paused } => self.countdown(remaining, is_paused),
            Action::Extend(by) => self.extend(by),
            Action::Pause => self.pause(),
            Action::Resume => self.resume(),
            Action::SetRemoved(removed) => self.set_removed(removed),
            Action::FreezeNow => self.freeze_now(),
            Action::Thaw(at) => self.thaw(at),
            Action::Finalize { extra_bronze, comment } => self.finalize(extra_bronze, comment),
            Action::Unfinalize(reason) => self.unfinalize(reason),
            Action::Import(imported) => self.import(*imported),
        }?;
        Ok(self.events(bodies))
    }

    fn events(&self, bodies: Vec<Body>) -> Vec<Event> {
        let contest = |body: &Body| if body.is_of_server() { None } else { Some(self.id) };
        bodies.into_iter().map(|body| self.context.event(contest(&body), body)).collect()
    }

    fn problem(&self, id: &ProblemId) -> Result<&'a crate::state::Problem, Refusal> {
        find("problem", &self.contest.problems, id)
    }

    fn submission(&self, number: SubmissionNumber) -> Result<&'a Submission, Refusal> {
        self.contest.submission(number).ok_or_else(|| Refusal::not_found("submission", number))
    }

    fn judgement(&self, key: JudgementKey) -> Result<(&'a Submission, &'a Judgement), Refusal> {
        let none = || Refusal::not_found("judgement", key);
        let submission = self.contest.submission(key.submission).ok_or_else(none)?;
        Ok((submission, submission.judgement(key.number).ok_or_else(none)?))
    }

    fn check_teams<'t>(
        &self,
        field: &'static str,
        ids: impl IntoIterator<Item = &'t TeamId>,
    ) -> Result<(), Refusal> {
        check_known(field, "team", &self.contest.teams, ids)
    }

    fn not_final(&self) -> Result<(), Refusal> {
        if self.contest.finalized.is_none() {
            return Ok(());
        }
        Err(Refusal::conflict("final", message!("result-final", "the result is final; open it again first")))
    }
}

/// Returns whether an action is allowed after the end of updates: those whose effects clients of the contest do not see.
fn is_allowed_after_end(action: &Action) -> bool {
    action.is_report() || matches!(action, Action::Unfinalize(_) | Action::DeliverBalloon(..))
}

/// Returns the judgements that a judgehost has begun and not ended, in all contests.
fn work_of<'a>(state: &'a State, host: &JudgehostId) -> Vec<(&'a ContestId, JudgementKey)> {
    let mut work = Vec::new();
    for (id, contest) in &state.contests {
        for (submission, entry) in contest.numbered() {
            for (number, judgement) in (1..).zip(&entry.judgements) {
                let is_its =
                    judgement.attempt.as_ref().is_some_and(|attempt| attempt.host.as_ref() == Some(host));
                if is_its && judgement.is_open() {
                    work.push((id, JudgementKey { submission, number }));
                }
            }
        }
    }
    work
}

impl State {
    pub(crate) fn jobs_of(&self, host: &JudgehostId) -> Vec<String> {
        work_of(self, host).into_iter().map(|(contest, key)| crate::jobs::job_id(contest, key)).collect()
    }
}

fn find<'a, K: Ord + Display, V>(
    what: &'static str,
    map: &'a BTreeMap<K, V>,
    id: &K,
) -> Result<&'a V, Refusal> {
    map.get(id).ok_or_else(|| Refusal::not_found(what, id))
}

/// Refuses a field that refers to an object that does not exist.
fn check_known<'a, K: Ord + Display + 'a, V>(
    field: &'static str,
    what: &'static str,
    map: &BTreeMap<K, V>,
    ids: impl IntoIterator<Item = &'a K>,
) -> Result<(), Refusal> {
    match ids.into_iter().find(|id| !map.contains_key(*id)) {
        Some(id) => Err(Refusal::invalid(field, Message::none(what, id))),
        None => Ok(()),
    }
}

/// Checks a hash: 64 lower-case hexadecimal digits.
fn check_hash(field: &'static str, hash: &str) -> Result<(), Refusal> {
    if hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte)) {
        return Ok(());
    }
    Err(Refusal::invalid(
        field,
        message!("wrong-sha256", "'{field}' is not a SHA-256 hash: expected 64 digits of 0-9 and a-f", field),
    ))
}
