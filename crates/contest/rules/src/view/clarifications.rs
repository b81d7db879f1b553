//! What a viewer sees of clarifications and balloons.

use super::View;
use crate::roles::Sight;
use crate::state::Question;
use crate::{
    AccountId, ClarificationNumber, GroupId, Instant, Millis, ProblemId, Refusal, SubmissionNumber, TeamId,
};
use model::message;
use serde::Serialize;
use std::collections::BTreeSet;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClarificationView<'a> {
    pub number: ClarificationNumber,
    /// From which team; `None` for the jury.
    pub from_team: Option<&'a TeamId>,
    /// To which teams; others than the jury see of them only their own.
    pub to_teams: Vec<&'a TeamId>,
    /// To which groups; others than the jury see of them only visible ones.
    pub to_groups: Vec<&'a GroupId>,
    /// What it answers, if the viewer may see that.
    pub reply_to: Option<ClarificationNumber>,
    pub problem: Option<&'a ProblemId>,
    pub category: Option<&'a str>,
    pub text: &'a str,
    pub time: Instant,
    pub contest_time: Millis,
    /// Whether it is answered, or needs no answer.
    pub is_answered: bool,
    /// Who sent it; for the jury.
    pub by: Option<&'a AccountId>,
    /// Who has claimed the answer, and until when; for the jury.
    pub claim: Option<&'a (AccountId, Instant)>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BalloonView<'a> {
    pub team: &'a TeamId,
    pub problem: &'a ProblemId,
    pub submission: SubmissionNumber,
    pub time: Instant,
    /// Whether the team still counts as having solved it. What is not and was not brought needs no balloon.
    pub is_solved: bool,
    pub is_first: bool,
    pub delivered: Option<&'a (Instant, Option<AccountId>)>,
}

impl<'a> View<'a> {
    pub fn clarifications(&self) -> impl Iterator<Item = ClarificationView<'a>> {
        let view = self.clone();
        self.contest.clarifications.iter().filter_map(move |question| view.clarification_view(question))
    }

    pub fn clarification(&self, number: ClarificationNumber) -> Result<ClarificationView<'a>, Refusal> {
        self.contest
            .question(number)
            .and_then(|question| self.clarification_view(question))
            .ok_or_else(|| Refusal::not_found("clarification", number))
    }

    fn reads(&self, question: &Question) -> bool {
        match (&self.sight, self.contest.recipients(&question.content)) {
            (Sight::All, _) | (_, None) => true,
            (Sight::Team(team), Some(teams)) => teams.contains(team),
            _ => false,
        }
    }

    fn clarification_view(&self, question: &'a Question) -> Option<ClarificationView<'a>> {
        if !self.reads(question) {
            return None;
        }
        let (content, is_jury) = (&question.content, self.is_jury());
        let may_know_team = |team: &TeamId| is_jury || self.own_team() == Some(team);
        let groups: BTreeSet<&GroupId> = self.groups().map(|group| &group.id).collect();
        Some(ClarificationView {
            number: content.number,
            from_team: content.from_team.as_ref(),
            to_teams: content.to_teams.iter().filter(|team| may_know_team(team)).collect(),
            to_groups: content.to_groups.iter().filter(|group| groups.contains(group)).collect(),
            reply_to: content
                .reply_to
                .filter(|parent| self.contest.question(*parent).is_some_and(|entry| self.reads(entry))),
            problem: content.problem.as_ref().filter(|problem| self.problem(problem).is_ok()),
            category: content.category.as_deref(),
            text: &content.text,
            time: question.time,
            contest_time: question.contest_time,
            is_answered: question.is_answered,
            by: question.by.as_ref().filter(|_| is_jury),
            claim: question.claim.as_ref().filter(|_| is_jury),
        })
    }

    /// Returns the balloons, in the order in which they were made; on site, without those that the freeze hides.
    pub fn balloons(&self) -> Result<Vec<BalloonView<'a>>, Refusal> {
        if !matches!(self.sight, Sight::All | Sight::OnSite) {
            return Err(Refusal::forbidden(message!(
                "balloons-for-staff",
                "balloons are for the jury and the staff on site"
            )));
        }
        let side =
            if self.is_jury() { crate::board::BoardSide::Jury } else { crate::board::BoardSide::Public };
        let board = self.contest.board(side, None);
        let cells = board.rows.iter().flat_map(|row| row.problems.iter().map(move |cell| (row.team, cell)));
        let first: BTreeSet<(&TeamId, &ProblemId)> =
            cells.filter(|(_, cell)| cell.is_first).map(|(team, cell)| (team, cell.problem)).collect();
        let is_hidden =
            |number| self.contest.submission(number).is_some_and(|entry| self.contest.is_frozen(entry));
        let shown = self
            .contest
            .balloons
            .iter()
            .filter(|(_, balloon)| self.is_jury() || !is_hidden(balloon.submission));
        let mut balloons: Vec<BalloonView<'_>> = shown
            .map(|((team, problem), balloon)| BalloonView {
                team,
                problem,
                submission: balloon.submission,
                time: balloon.time,
                is_solved: self.contest.boards.cell(side, team, problem).is_some_and(|cell| cell.is_solved),
                is_first: first.contains(&(team, problem)),
                delivered: balloon.delivered.as_ref(),
            })
            .collect();
        balloons.sort_by_key(|balloon| (balloon.time, balloon.submission));
        Ok(balloons)
    }
}
