//! What viewers can see anew, so that they can ask for it.

use crate::{
    AccountId, ClarificationNumber, CommentaryNumber, ContestId, GroupId, Instant, JudgementKey,
    OrganizationId, PersonId, ProblemId, RejudgingNumber, SubmissionNumber, TeamId,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Something changed that an audience can see. It names the object only: what is in it, its view has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Notice {
    /// In which contest; `None` for what belongs to the server.
    pub contest: Option<ContestId>,
    pub audience: Audience,
    /// Its number in the contest for that audience, without gaps.
    pub number: u64,
    pub object: Object,
    pub is_gone: bool,
}

/// Who gets a notice. A team gets those for the public and its own, each with their numbers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Audience {
    Public,
    Team(TeamId),
    /// Those on site, such as who carries balloons.
    Staff,
    /// Those who see all: admin, judge, analyst.
    Jury,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Object {
    Contest,
    /// How far it is: started, frozen, ended, thawed, finalized.
    State,
    Problem(ProblemId),
    Group(GroupId),
    Organization(OrganizationId),
    Team(TeamId),
    Person(PersonId),
    Account(AccountId),
    Submission(SubmissionNumber),
    Judgement(JudgementKey),
    Runs {
        judgement: JudgementKey,
        first: u32,
        last: u32,
    },
    Clarification(ClarificationNumber),
    Commentary(CommentaryNumber),
    Awards,
    Board,
    Balloon(TeamId, ProblemId),
    Rejudging(RejudgingNumber),
    Judging,
}

impl Object {
    /// Returns whether others refer to it and it can change or go.
    pub fn is_referred_to(&self) -> bool {
        matches!(
            self,
            Self::Contest
                | Self::State
                | Self::Problem(_)
                | Self::Group(_)
                | Self::Organization(_)
                | Self::Team(_)
                | Self::Person(_)
                | Self::Account(_)
        )
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Numbers {
    pub begin: u64,
    pub public: u64,
    pub staff: u64,
    pub jury: u64,
    pub teams: BTreeMap<TeamId, u64>,
}

impl Numbers {
    /// Returns numbers for a contest that was made then: greater ones than of another that had its id before and was removed,
    /// so that positions in those notices are none in these.
    pub fn begin(made: Instant) -> Self {
        // As many as a thousand each millisecond. A damaged log may have any time in it.
        let begin = (made.0.max(0) as u64).saturating_mul(1000).min(u64::MAX / 2);
        Self { begin, public: begin, staff: begin, jury: begin, teams: BTreeMap::new() }
    }

    pub fn last(&self, audience: &Audience) -> u64 {
        match audience {
            Audience::Public => self.public,
            Audience::Staff => self.staff,
            Audience::Jury => self.jury,
            Audience::Team(team) => self.teams.get(team).copied().unwrap_or(self.begin),
        }
    }

    pub fn next(&mut self, audience: &Audience) -> u64 {
        let number = match audience {
            Audience::Public => &mut self.public,
            Audience::Staff => &mut self.staff,
            Audience::Jury => &mut self.jury,
            Audience::Team(team) => match self.teams.get_mut(team) {
                Some(number) => number,
                None => self.teams.entry(team.clone()).or_insert(self.begin),
            },
        };
        *number += 1;
        *number
    }
}
