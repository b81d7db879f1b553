//! One contest.

use super::{StoredResult, Submission};
use crate::board::Boards;
use crate::notices::Numbers;
use crate::{
    AccountId, BlobHash, Clarification, ClarificationNumber, Commentary, ContestSettings, FileContent,
    FileOwner, FileProperty, Files, GroupId, GroupSettings, Instant, JudgementKey, Millis, OrganizationId,
    OrganizationSettings, PauseScope, PersonId, PersonSettings, Phase, ProblemId, ProblemSettings,
    RegistrationMode, RejudgingNumber, SubmissionNumber, TeamId, TeamSettings,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Contest {
    pub settings: ContestSettings,
    /// When its last event was: its phase follows from that.
    pub time: Instant,
    pub problems: BTreeMap<ProblemId, Problem>,
    pub groups: BTreeMap<GroupId, GroupSettings>,
    pub organizations: BTreeMap<OrganizationId, OrganizationSettings>,
    pub teams: BTreeMap<TeamId, TeamSettings>,
    pub persons: BTreeMap<PersonId, PersonSettings>,
    /// Of all objects that have some; no list is empty.
    pub files: BTreeMap<FileOwner, Files>,
    /// Number 1 first, as in the next three lists.
    pub submissions: Vec<Submission>,
    pub clarifications: Vec<Question>,
    pub commentary: Vec<Remark>,
    pub rejudgings: Vec<Rejudging>,
    pub awards: BTreeMap<String, AwardEdit>,
    pub balloons: BTreeMap<(TeamId, ProblemId), Balloon>,
    pub finalized: Option<Finalized>,
    /// Accounts that changed after the end of updates: clients hear of them if the result is opened again.
    pub accounts_since_end: BTreeSet<AccountId>,
    pub numbers: Numbers,
    #[serde(skip)]
    pub boards: Boards,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Problem {
    pub settings: ProblemSettings,
    pub added_by: Option<AccountId>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Question {
    pub content: Clarification,
    pub time: Instant,
    pub contest_time: Millis,
    pub by: Option<AccountId>,
    pub claim: Option<(AccountId, Instant)>,
    pub is_answered: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Remark {
    pub content: Commentary,
    pub time: Instant,
    pub contest_time: Millis,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Rejudging {
    pub submissions: Vec<SubmissionNumber>,
    /// The results that counted when it was opened, of each submission.
    pub before: Vec<Option<StoredResult>>,
    pub judgements: Vec<JudgementKey>,
    pub repeat: u32,
    pub reason: String,
    pub by: Option<AccountId>,
    pub opened: Instant,
    pub status: RejudgingStatus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RejudgingStatus {
    /// It is being judged, or waits to be applied or cancelled.
    Open,
    Applied(Instant),
    Cancelled(Instant),
}

/// An edited award; with teams, they get it instead of those that earned it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AwardEdit {
    pub citation: String,
    pub teams: Option<Vec<TeamId>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Balloon {
    pub submission: SubmissionNumber,
    pub time: Instant,
    pub delivered: Option<(Instant, Option<AccountId>)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Finalized {
    pub time: Instant,
    pub extra_bronze: u32,
    pub comment: String,
}

impl Contest {
    pub fn new(settings: ContestSettings, time: Instant) -> Self {
        Self {
            settings,
            time,
            problems: BTreeMap::new(),
            groups: BTreeMap::new(),
            organizations: BTreeMap::new(),
            teams: BTreeMap::new(),
            persons: BTreeMap::new(),
            files: BTreeMap::new(),
            submissions: Vec::new(),
            clarifications: Vec::new(),
            commentary: Vec::new(),
            rejudgings: Vec::new(),
            awards: BTreeMap::new(),
            balloons: BTreeMap::new(),
            finalized: None,
            accounts_since_end: BTreeSet::new(),
            numbers: Numbers::begin(time),
            boards: Boards::default(),
        }
    }

    pub fn phase(&self) -> Phase {
        self.settings.phase(self.time)
    }

    pub fn contest_time(&self, at: Instant) -> Millis {
        self.settings.contest_time(at).unwrap_or_default()
    }

    pub fn submission(&self, number: SubmissionNumber) -> Option<&Submission> {
        self.submissions.get((number.0 as usize).checked_sub(1)?)
    }

    pub fn submission_mut(&mut self, number: SubmissionNumber) -> Option<&mut Submission> {
        self.submissions.get_mut((number.0 as usize).checked_sub(1)?)
    }

    pub fn question(&self, number: ClarificationNumber) -> Option<&Question> {
        self.clarifications.get((number.0 as usize).checked_sub(1)?)
    }

    pub fn question_mut(&mut self, number: ClarificationNumber) -> Option<&mut Question> {
        self.clarifications.get_mut((number.0 as usize).checked_sub(1)?)
    }

    pub fn rejudging(&self, number: RejudgingNumber) -> Option<&Rejudging> {
        self.rejudgings.get((number.0 as usize).checked_sub(1)?)
    }

    pub fn rejudging_mut(&mut self, number: RejudgingNumber) -> Option<&mut Rejudging> {
        self.rejudgings.get_mut((number.0 as usize).checked_sub(1)?)
    }

    pub fn numbered(&self) -> impl DoubleEndedIterator<Item = (SubmissionNumber, &Submission)> {
        self.submissions
            .iter()
            .enumerate()
            .map(|(index, submission)| (SubmissionNumber(index as u32 + 1), submission))
    }

    pub fn judgement(&self, key: JudgementKey) -> Option<&super::Judgement> {
        self.submission(key.submission)?.judgement(key.number)
    }

    pub fn result(&self, submission: &Submission) -> Option<StoredResult> {
        submission.result(self.settings.verification_required)
    }

    /// Returns whether a submission came after the end, for practice.
    pub fn is_practice(&self, submission: &Submission) -> bool {
        submission.contest_time >= self.settings.duration
    }

    /// Returns whether a submission is one of the contest's time that the jury has not taken out.
    pub fn counts(&self, submission: &Submission) -> bool {
        submission.ignored.is_none()
            && !self.is_practice(submission)
            && submission.contest_time >= Millis::ZERO
    }

    /// Returns whether the freeze hides the result of a submission from the public.
    pub fn is_frozen(&self, submission: &Submission) -> bool {
        self.settings.freeze_time().is_some_and(|freeze| submission.contest_time >= freeze)
            && !self.phase().thawed
    }

    pub fn is_public_team(&self, team: &TeamSettings) -> bool {
        !team.is_hidden
            && !team.groups.iter().any(|group| self.groups.get(group).is_some_and(|group| group.is_hidden))
    }

    /// Returns whether the public may know of a person: of those of teams, those of public ones.
    pub fn is_public_person(&self, person: &PersonSettings) -> bool {
        !person.role.is_of_team() || person.teams.iter().any(|team| self.is_public_team_id(team))
    }

    pub fn is_public_team_id(&self, id: &TeamId) -> bool {
        self.teams.get(id).is_some_and(|team| self.is_public_team(team))
    }

    /// Returns whether the public may know of an organization: not of those that only hidden teams have.
    pub fn is_public_organization(&self, id: &OrganizationId) -> bool {
        let mut teams = self.teams.values().filter(|team| team.organization.as_ref() == Some(id)).peekable();
        teams.peek().is_none() || teams.any(|team| self.is_public_team(team))
    }

    /// Returns all organizations of which the public must not know.
    pub fn hidden_organizations(&self) -> BTreeSet<OrganizationId> {
        let (public, hidden): (Vec<_>, Vec<_>) =
            self.teams.values().partition(|team| self.is_public_team(team));
        let of = |team: &&TeamSettings| team.organization.clone();
        let shown: BTreeSet<OrganizationId> = public.iter().filter_map(of).collect();
        hidden.iter().filter_map(of).filter(|id| !shown.contains(id)).collect()
    }

    /// Returns whether the public may read a commentary: it names nothing hidden, and one of the freeze waits for
    /// the thaw.
    pub fn is_public_remark(&self, remark: &Remark) -> bool {
        let content = &remark.content;
        let is_late = self.settings.freeze_time().is_some_and(|freeze| remark.contest_time >= freeze);
        let started = self.phase().started;
        let shows_submission = |number: &SubmissionNumber| {
            self.submission(*number).is_some_and(|entry| self.is_public_submission(entry))
        };
        let shows = |(endpoint, id): (&str, &str)| match endpoint {
            "teams" => id.parse().is_ok_and(|id| self.is_public_team_id(&id)),
            "problems" => started,
            "submissions" => id.parse().is_ok_and(|number| shows_submission(&SubmissionNumber(number))),
            "groups" => id.parse().is_ok_and(|id| self.groups.get(&id).is_some_and(|group| !group.is_hidden)),
            "persons" => id
                .parse()
                .is_ok_and(|id| self.persons.get(&id).is_some_and(|person| self.is_public_person(person))),
            "organizations" => id.parse().is_ok_and(|id| self.is_public_organization(&id)),
            "languages" | "judgement-types" => true,
            _ => !crate::objects::ENDPOINTS.contains(&endpoint),
        };
        (!is_late || self.phase().thawed)
            && (started || content.problems.is_empty())
            && content.teams.iter().all(|team| self.is_public_team_id(team))
            && content.submissions.iter().all(shows_submission)
            && crate::named_in(&content.message).into_iter().all(shows)
    }

    /// Returns whether the public sees something of a file's property now.
    pub fn shows_files(&self, property: FileProperty) -> bool {
        let hides_results = self.phase().hides_results();
        !property.is_private() && (!property.is_live() || !hides_results)
    }

    /// Returns whether the public may know of a submission: those of the public teams, from the start on.
    pub fn is_public_submission(&self, submission: &Submission) -> bool {
        self.phase().started && submission.team.as_ref().is_some_and(|team| self.is_public_team_id(team))
    }

    pub fn blobs(&self) -> impl Iterator<Item = &BlobHash> {
        let packages = self.problems.values().map(|problem| &problem.settings.package);
        let files = self.submissions.iter().flat_map(|submission| &submission.files).map(|file| &file.blob);
        let judgements = self.submissions.iter().flat_map(|submission| &submission.judgements);
        let done = judgements.filter_map(|judgement| judgement.done.as_ref());
        let evidence = done.flat_map(|done| done.evidence.iter().chain(&done.compile_output));
        let shown = self.problems.values().flat_map(|problem| problem.settings.files.all());
        let entries = self.files.values().flat_map(Files::values).flatten();
        let attached = entries.filter_map(|entry| match &entry.content {
            FileContent::Stored { blob, .. } => Some(blob),
            FileContent::External { .. } => None,
        });
        let attached = attached.chain(shown.map(|file| &file.blob));
        packages.chain(files).chain(evidence).chain(attached)
    }

    /// Returns whether teams can register: not once it has ended, and not where there are enough.
    pub fn registration_is_open(&self) -> bool {
        let registration = &self.settings.registration;
        registration.mode != RegistrationMode::Closed
            && self.teams.len() < registration.teams_max as usize
            && self.happened().ended.is_none()
    }

    pub fn is_paused(&self, submission: &Submission, paused: &BTreeMap<PauseScope, String>) -> bool {
        is_paused(self.problems.get(&submission.problem), paused)
    }

    /// Returns the teams that a clarification is for; `None` for everybody.
    pub fn recipients(&self, content: &Clarification) -> Option<BTreeSet<TeamId>> {
        if let Some(team) = &content.from_team {
            return Some(BTreeSet::from([team.clone()]));
        }
        if content.to_teams.is_empty() && content.to_groups.is_empty() {
            return None;
        }
        let of_groups = self.teams.values().filter(|team| !team.groups.is_disjoint(&content.to_groups));
        Some(content.to_teams.iter().cloned().chain(of_groups.map(|team| team.id.clone())).collect())
    }

    /// Returns what public teams have solved on the jury's board, with the submissions.
    pub fn solved(&self) -> Vec<(TeamId, ProblemId, SubmissionNumber)> {
        let board = self.board(crate::board::BoardSide::Jury, None);
        let ranked = board.rows.iter().filter(|row| row.rank.is_some());
        let solved = ranked.flat_map(|row| {
            row.problems.iter().filter_map(|entry| {
                let by = entry.cell.solved_by?;
                Some((row.team.clone(), entry.problem.clone(), by))
            })
        });
        solved.collect()
    }
}

pub(crate) fn is_paused(problem: Option<&Problem>, paused: &BTreeMap<PauseScope, String>) -> bool {
    problem.is_none_or(|problem| {
        problem.settings.is_paused
            || problem.settings.waits_for_package()
            || paused.contains_key(&PauseScope::Package(problem.settings.package.clone()))
    })
}
