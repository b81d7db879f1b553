//! Events of a contest's settings, clarifications, commentary, balloons.

use super::Change;
use super::judging::Judging;
use crate::jobs::{self, JobChange};
use crate::notices::{Audience, Object};
use crate::state::{AwardEdit, Changes, Contest, Finalized, Problem, Remark, State};
use crate::{Body, Commentary, ContestId, ContestSettings, Event, Instant, JudgementKey, MadeStatement};

impl State {
    pub(super) fn set_contest(
        &mut self,
        id: &ContestId,
        settings: &ContestSettings,
        event: &Event,
        changes: &mut Changes,
    ) {
        let new = || Contest::new(settings.clone(), event.time);
        let contest = self.contests.entry(id.clone()).or_insert_with(new);
        let mut change = Change { id, contest, changes };
        let before = change.overview();
        change.contest.time = change.contest.time.max(event.time);
        change.contest.settings = settings.clone();
        change.note_all(Object::Contest, false);
        change.set_contest_times();
        change.note_overview(&before, true);
    }

    pub(super) fn remove_contest(&mut self, id: &ContestId, changes: &mut Changes) {
        let Some(mut contest) = self.contests.remove(id) else { return };
        for (number, submission) in contest.numbered() {
            for (judgement, entry) in (1..).zip(&submission.judgements) {
                if entry.is_queued {
                    let key = JudgementKey { submission: number, number: judgement };
                    changes.jobs.push(JobChange::Remove(jobs::job_id(id, key)));
                }
            }
        }
        Change { id, contest: &mut contest, changes }.note_all(Object::Contest, true);
    }

    pub(super) fn apply_in_contest(
        &mut self,
        id: &ContestId,
        body: &Body,
        event: &Event,
        changes: &mut Changes,
    ) {
        let Some(contest) = self.contests.get_mut(id) else { return };
        let mut change = Change { id, contest, changes };
        if event.time > change.contest.time {
            // Nothing shows by time alone: a tick comes before whatever else the new time would show.
            let passes =
                change.contest.settings.next_change(change.contest.time).is_some_and(|at| at <= event.time);
            if passes {
                let before = change.overview();
                change.contest.time = event.time;
                change.note_overview(&before, false);
            }
            change.contest.time = event.time;
        }
        match body {
            Body::ProblemSet(settings) => {
                change.set_problem(settings, event);
                change.contest.requeue(id, &self.paused, change.changes);
            }
            Body::ProblemRemoved(problem) => {
                let before = change.overview();
                change.contest.problems.remove(problem);
                change.note_overview(&before, true);
                let started = change.contest.phase().started;
                change.note_jury_and(started, Object::Problem(problem.clone()), true);
            }
            Body::StatementMade(made) => change.set_statement(made),
            Body::Finalized { extra_bronze, comment } => {
                change.finalize(event.time, *extra_bronze, comment);
            }
            Body::Unfinalized { .. } => {
                change.contest.finalized = None;
                change.note_final();
            }
            Body::GroupSet(_)
            | Body::GroupRemoved(_)
            | Body::OrganizationSet(_)
            | Body::OrganizationRemoved(_)
            | Body::TeamSet(_)
            | Body::TeamRemoved(_)
            | Body::PersonSet(_)
            | Body::PersonRemoved(_)
            | Body::FilesSet { .. } => change.apply_people(body),
            Body::ClarificationSent(content) => {
                change.send(content, event.actor.account(), content.time.unwrap_or(event.time));
            }
            Body::ClarificationClaimed { number, until } => {
                if let Some(question) = change.contest.question_mut(*number) {
                    question.claim = event.actor.account().zip(*until);
                    change.note_jury(Object::Clarification(*number));
                }
            }
            Body::Imported(imported) => change.import(imported),
            Body::BalloonDelivered { team, problem } => {
                if let Some(balloon) = change.contest.balloons.get_mut(&(team.clone(), problem.clone())) {
                    balloon.delivered = Some((event.time, event.actor.account()));
                    let number = balloon.submission;
                    change.note_balloon(Object::Balloon(team.clone(), problem.clone()), number);
                }
            }
            Body::AwardSet { id, citation, teams } => {
                let edit = AwardEdit { citation: citation.clone(), teams: teams.clone() };
                change.edit_award(id, Some(edit));
            }
            Body::AwardRemoved(id) => change.edit_award(id, None),
            Body::Commented(content) => change.comment(content, event.time),
            _ => {
                let judging = Judging {
                    hosts: &mut self.judgehosts,
                    pools: &mut self.pools,
                    paused: &self.paused,
                    package_failures: &mut self.package_failures,
                    turns: &mut self.turns,
                };
                change.apply_judging(body, event, judging);
            }
        }
    }
}

impl Change<'_> {
    fn set_contest_times(&mut self) {
        let settings = self.contest.settings.clone();
        let time = |at| settings.contest_time(at).unwrap_or_default();
        for submission in &mut self.contest.submissions {
            submission.contest_time = time(submission.time);
        }
        for question in &mut self.contest.clarifications {
            question.contest_time = time(question.time);
        }
        for remark in &mut self.contest.commentary {
            remark.contest_time = time(remark.time);
        }
    }

    pub(super) fn note_jury_and(&mut self, is_public: bool, object: Object, is_gone: bool) {
        if is_public {
            self.note(Audience::Public, object.clone(), is_gone);
        }
        self.note(Audience::Jury, object, is_gone);
    }

    pub(super) fn finalize(&mut self, time: Instant, extra_bronze: u32, comment: &str) {
        self.contest.finalized = Some(Finalized { time, extra_bronze, comment: comment.to_owned() });
        self.note_final();
    }

    fn note_final(&mut self) {
        // The state comes last: nothing follows on the one that ends the updates.
        for object in [Object::Awards, Object::Board, Object::State] {
            self.note_all(object, false);
        }
    }

    fn set_problem(&mut self, settings: &crate::ProblemSettings, event: &Event) {
        let before = self.overview();
        let old = self.contest.problems.get(&settings.id);
        let added_by = match old {
            Some(old) if old.settings.package == settings.package => old.added_by.clone(),
            _ => event.actor.account(),
        };
        self.contest.problems.insert(settings.id.clone(), Problem { settings: settings.clone(), added_by });
        let started = self.contest.phase().started;
        self.note_jury_and(started, Object::Problem(settings.id.clone()), false);
        self.note_overview(&before, true);
    }

    fn set_statement(&mut self, made: &MadeStatement) {
        let Some(problem) = self.contest.problems.get_mut(&made.problem) else { return };
        let (files, report) = (&mut problem.settings.files, &made.report);
        match &made.file {
            Some(file) => files.set_statement(file.clone(), report.form.is_page),
            None => files.statement_reports.retain(|old| old.form != report.form),
        }
        if made.file.is_none() || !report.text.is_empty() || !report.lacking.is_empty() {
            files.statement_reports.push(report.clone());
        }
        let started = self.contest.phase().started;
        self.note_jury_and(started, Object::Problem(made.problem.clone()), false);
    }

    pub(super) fn comment(&mut self, content: &Commentary, time: Instant) {
        if content.number.0 as usize != self.contest.commentary.len() + 1 {
            return;
        }
        let contest_time = self.contest.contest_time(time);
        let remark = Remark { content: content.clone(), time, contest_time };
        let is_public = self.contest.is_public_remark(&remark);
        self.contest.commentary.push(remark);
        self.note_jury_and(is_public, Object::Commentary(content.number), false);
    }
}
