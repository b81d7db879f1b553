//! What a viewer sees. The only way on which data leaves a state: API, feed and command line show these structs, and
//! nothing that a viewer may not know is ever in one.

mod analysis;
mod clarifications;
mod judging;
mod operations;
mod people;
mod recorded;
mod rejudgings;
mod server;
mod settings;

pub use clarifications::{BalloonView, ClarificationView};
pub use judging::{JudgementView, JuryJudgementView, OverrideView, ReplicaView, RunView, SubmissionView};
pub use operations::{JudgementTimes, OperationsView};
pub use people::CommentaryView;
pub use rejudgings::{RejudgedSubmission, RejudgingView};
pub use server::{AuditFilter, JudgehostView, PoolView, RatioView, ServerView, TokenView};
pub use settings::{ContestView, JuryContestView, JuryProblemView, ProblemView, StateView};

use crate::board::{Award, Board, BoardSide};
use crate::roles::{self, Sight};
use crate::state::{Contest, State, Submission};
use crate::{
    Audience, Caller, ContestId, GroupId, GroupSettings, Instant, OrganizationId, OrganizationSettings,
    Refusal, SubmissionNumber,
};
use model::message;
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

#[derive(Clone, Debug)]
pub struct View<'a> {
    state: &'a State,
    id: &'a ContestId,
    contest: &'a Contest,
    sight: Sight,
}

impl State {
    /// Returns a contest as a caller may see it. One that the caller must not know of is refused like one that does not exist.
    pub fn view(&self, caller: &Caller, contest: &ContestId) -> Result<View<'_>, Refusal> {
        let none = || Refusal::not_found("contest", contest);
        let (id, entry) = self.contests.get_key_value(contest).ok_or_else(none)?;
        let sight = roles::sight(caller, contest, entry).ok_or_else(none)?;
        Ok(View { state: self, id, contest: entry, sight })
    }

    pub fn views<'a>(&'a self, caller: &Caller) -> Vec<View<'a>> {
        self.contests.keys().filter_map(|id| self.view(caller, id).ok()).collect()
    }
}

impl<'a> View<'a> {
    pub fn id(&self) -> &'a ContestId {
        self.id
    }

    /// Returns whether the viewer sees all: admin, judge, analyst.
    pub fn is_jury(&self) -> bool {
        self.sight == Sight::All
    }

    pub fn require_jury(&self) -> Result<(), Refusal> {
        if self.is_jury() {
            Ok(())
        } else {
            Err(Refusal::forbidden(message!("for-the-jury", "this is for admins, judges and analysts")))
        }
    }

    /// Returns the side of the board that the viewer gets: the jury gets its own unless it asks for the public one.
    pub fn side(&self, wants_public: bool) -> BoardSide {
        if self.is_jury() && !wants_public { BoardSide::Jury } else { BoardSide::Public }
    }

    #[must_use]
    pub fn as_public(&self) -> Self {
        Self { sight: Sight::Public, ..self.clone() }
    }

    pub fn audiences(&self) -> Vec<Audience> {
        match &self.sight {
            Sight::All => vec![Audience::Jury],
            Sight::OnSite => vec![Audience::Public, Audience::Staff],
            Sight::Team(team) => vec![Audience::Public, Audience::Team(team.clone())],
            Sight::Public => vec![Audience::Public],
        }
    }

    /// Returns a number that grows when something changed that everybody, or the jury, can see.
    pub fn changes(&self, side: BoardSide) -> u64 {
        match side {
            BoardSide::Public => self.last_notice(&Audience::Public),
            BoardSide::Jury => self.last_notice(&Audience::Jury),
        }
    }

    pub fn last_notice(&self, audience: &Audience) -> u64 {
        self.contest.numbers.last(audience)
    }

    /// Returns the number of the last submission, which the viewer may see or not.
    pub fn last_submission(&self) -> SubmissionNumber {
        SubmissionNumber(self.contest.submissions.len() as u32)
    }

    /// Returns a number that changes when times of the contest, such as of submissions, are computed anew.
    pub fn clock_digest(&self) -> u64 {
        let mut hasher = std::hash::DefaultHasher::new();
        let intervals = self.contest.settings.removed.iter().map(|interval| (interval.begin, interval.end));
        (self.contest.settings.start, intervals.collect::<Vec<_>>()).hash(&mut hasher);
        hasher.finish()
    }

    pub fn groups(&self) -> impl Iterator<Item = &'a GroupSettings> {
        let sees_hidden = self.is_jury();
        self.contest.groups.values().filter(move |group| sees_hidden || !group.is_hidden)
    }

    /// Returns the organizations; for others than the jury, without those of hidden teams alone.
    pub fn organizations(&self) -> impl Iterator<Item = &'a OrganizationSettings> {
        let mut hidden = if self.is_jury() { BTreeSet::new() } else { self.contest.hidden_organizations() };
        if let Some(own) = self.own_organization() {
            hidden.remove(own);
        }
        self.contest.organizations.values().filter(move |organization| !hidden.contains(&organization.id))
    }

    pub fn organization(&self, id: &OrganizationId) -> Option<&'a OrganizationSettings> {
        let is_shown =
            self.is_jury() || self.own_organization() == Some(id) || self.contest.is_public_organization(id);
        self.contest.organizations.get(id).filter(|_| is_shown)
    }

    pub fn is_public_organization(&self, id: &OrganizationId) -> bool {
        self.contest.is_public_organization(id)
    }

    fn own_organization(&self) -> Option<&'a OrganizationId> {
        let Sight::Team(team) = &self.sight else { return None };
        self.contest.teams.get(team)?.organization.as_ref()
    }

    pub fn board(&self, side: BoardSide, group: Option<&GroupId>) -> Result<Board<'a>, Refusal> {
        if side == BoardSide::Jury && !self.is_jury() {
            return Err(Refusal::forbidden(message!(
                "scoreboard-for-the-jury",
                "the jury's scoreboard is for admins, judges and analysts"
            )));
        }
        if let Some(group) = group
            && !self.groups().any(|entry| entry.id == *group)
        {
            return Err(Refusal::not_found("group", group));
        }
        if self.contest.phase().started || self.is_jury() {
            Ok(self.contest.board(side, group))
        } else {
            Ok(Board { problems: Vec::new(), ..self.contest.board(side, group) })
        }
    }

    pub fn awards(&self) -> Vec<Award> {
        let mut awards = match self.is_jury() {
            true => self.contest.awards(BoardSide::Jury),
            false => self.contest.public_awards(),
        };
        // Edited by hand, one may name a team that is hidden, or was removed.
        for teams in awards.iter_mut().filter_map(|award| award.teams.as_mut()) {
            teams.retain(|id| self.contest.teams.get(id).is_some_and(|team| self.sees_team(team)));
        }
        awards
    }

    pub fn time(&self) -> Instant {
        self.contest.time
    }

    fn is_own(&self, submission: &Submission) -> bool {
        matches!(&self.sight, Sight::Team(team) if submission.team.as_ref() == Some(team))
    }

    fn sees_submission(&self, submission: &Submission) -> bool {
        self.is_jury() || self.is_own(submission) || self.contest.is_public_submission(submission)
    }

    fn sees_result(&self, submission: &Submission) -> bool {
        self.is_jury()
            || self.is_own(submission)
            || (self.contest.is_public_submission(submission) && !self.contest.is_frozen(submission))
    }

    fn submission_entry(&self, number: SubmissionNumber) -> Result<&'a Submission, Refusal> {
        self.contest
            .submission(number)
            .filter(|submission| self.sees_submission(submission))
            .ok_or_else(|| Refusal::not_found("submission", number))
    }
}
