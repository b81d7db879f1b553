//! What a viewer sees of the contest itself, its problems and its people.

use super::View;
use crate::roles::Sight;
use crate::state::{Contest, Finalized, Problem};
use crate::{
    AccountId, ContestSettings, Feedback, GroupId, Instant, LanguageId, Phase, ProblemFiles, ProblemId,
    ProblemSettings, Refusal, Scoring, SubmissionLimits, Team, TeamId, TeamSettings,
};
use serde::Serialize;
use std::collections::BTreeSet;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ContestView<'a> {
    /// As it is written, without its files.
    pub object: crate::Contest,
    /// When it starts; `None` while unknown or paused.
    pub start: Option<Instant>,
    /// When it ends, as far as known: pauses move it.
    pub end: Option<Instant>,
    pub is_paused: bool,
    pub scoring: Scoring,
    /// Which languages are allowed; empty for all.
    pub languages: &'a BTreeSet<LanguageId>,
    /// Whether teams can submit after the end.
    pub practice: bool,
    /// Whether the viewer sees each case of a judgement.
    pub shows_cases: bool,
    pub clarification_categories: &'a [String],
    pub submission_limits: SubmissionLimits,
    pub jury: Option<JuryContestView<'a>>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JuryContestView<'a> {
    pub settings: &'a ContestSettings,
    /// The jury's comment on the final result.
    pub final_comment: Option<&'a str>,
    /// The ICPC's B.
    pub extra_bronze: u32,
    /// What stands against finalising it: a word for each kind, and how much there is.
    pub open: Vec<(&'static str, model::Message)>,
}

/// When things happened (CLICS `state`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct StateView {
    pub started: Option<Instant>,
    pub frozen: Option<Instant>,
    pub ended: Option<Instant>,
    pub thawed: Option<Instant>,
    pub finalized: Option<Instant>,
    /// When nothing was left to change.
    pub end_of_updates: Option<Instant>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProblemView<'a> {
    pub id: &'a ProblemId,
    pub object: crate::Problem,
    /// Which languages are allowed; empty for the contest's.
    pub languages: &'a BTreeSet<LanguageId>,
    pub is_paused: bool,
    pub files: &'a ProblemFiles,
    pub jury: Option<JuryProblemView<'a>>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JuryProblemView<'a> {
    pub settings: &'a ProblemSettings,
    pub added_by: Option<&'a AccountId>,
    /// Why its package is not judged for now.
    pub paused_because: Option<&'a str>,
}

impl Contest {
    pub(crate) fn happened(&self) -> StateView {
        let (settings, phase) = (&self.settings, self.phase());
        let freeze = settings.freeze_time().and_then(|time| settings.instant_of(time));
        let finalized = self.finalized.as_ref().map(|Finalized { time, .. }| *time);
        let thawed = settings.thaw.filter(|_| phase.thawed);
        // Practice goes on.
        let is_over = finalized.is_some() && !phase.hides_results() && !settings.practice;
        StateView {
            started: settings.start.filter(|_| phase.started),
            frozen: freeze.filter(|_| phase.frozen),
            ended: settings.end().filter(|_| phase.ended),
            thawed,
            finalized,
            end_of_updates: if is_over { finalized.max(thawed) } else { None },
        }
    }
}

impl<'a> View<'a> {
    pub fn contest(&self) -> ContestView<'a> {
        let settings = &self.contest.settings;
        let mut object = settings.object(self.id);
        let is_seen = |id: &GroupId| self.groups().any(|group| group.id == *id);
        object.main_scoreboard_group_id.take_if(|_| !settings.main_group.as_ref().is_some_and(is_seen));
        ContestView {
            object,
            start: settings.start,
            end: settings.end(),
            is_paused: settings.is_paused(),
            scoring: settings.scoring,
            languages: &settings.languages,
            practice: settings.practice,
            shows_cases: self.is_jury() || settings.feedback == Feedback::Cases,
            clarification_categories: &settings.clarification_categories,
            submission_limits: settings.submission_limits,
            jury: self.jury().ok(),
        }
    }

    pub fn jury(&self) -> Result<JuryContestView<'a>, Refusal> {
        self.require_jury()?;
        Ok(JuryContestView {
            settings: &self.contest.settings,
            final_comment: self.contest.finalized.as_ref().map(|finalized| finalized.comment.as_str()),
            extra_bronze: self.contest.finalized.as_ref().map_or(0, |finalized| finalized.extra_bronze),
            open: self.contest.open_ends(),
        })
    }

    /// Returns the languages in which there is a submission that the viewer sees, or may be one: those that the contest names, or
    /// else those that its pool can compile. `None` for all, while the pool's are unknown.
    pub fn languages(&self) -> Option<BTreeSet<&'a str>> {
        let settings = &self.contest.settings;
        let mut languages = match settings.languages.is_empty() {
            true => self.state.languages_of_pool(&settings.strict_pool)?,
            false => settings.languages.iter().map(LanguageId::as_str).collect(),
        };
        languages.extend(self.submissions().map(|submission| submission.language.as_str()));
        Some(languages)
    }

    pub fn state(&self) -> StateView {
        self.contest.happened()
    }

    pub fn phase(&self) -> Phase {
        self.contest.phase()
    }

    /// Returns the problems, in order; for others than the jury and those on site, none before the start.
    pub fn problems(&self) -> Vec<ProblemView<'a>> {
        if !self.is_jury() && !self.contest.phase().started {
            return Vec::new();
        }
        let order = self.contest.problems_in_order();
        order
            .into_iter()
            .filter_map(|id| self.contest.problems.get(id))
            .map(|problem| self.problem_view(problem))
            .collect()
    }

    pub fn problem(&self, id: &ProblemId) -> Result<ProblemView<'a>, Refusal> {
        let problem =
            self.contest.problems.get(id).filter(|_| self.is_jury() || self.contest.phase().started);
        problem.map(|problem| self.problem_view(problem)).ok_or_else(|| Refusal::not_found("problem", id))
    }

    pub fn jury_problem(&self, id: &ProblemId) -> Result<JuryProblemView<'a>, Refusal> {
        let problem = self.problem(id)?;
        self.require_jury()?;
        problem.jury.ok_or_else(|| Refusal::not_found("problem", id))
    }

    fn problem_view(&self, problem: &'a Problem) -> ProblemView<'a> {
        let settings = &problem.settings;
        let scope = crate::PauseScope::Package(settings.package.clone());
        ProblemView {
            id: &settings.id,
            object: settings.object(),
            languages: &settings.languages,
            is_paused: settings.is_paused || settings.waits_for_package(),
            files: &settings.files,
            jury: self.is_jury().then(|| JuryProblemView {
                settings,
                added_by: problem.added_by.as_ref(),
                paused_because: self.state.paused.get(&scope).map(String::as_str),
            }),
        }
    }

    pub fn teams(&self) -> Vec<Team> {
        let seen = self.contest.teams.values().filter(|team| self.sees_team(team));
        seen.map(|team| self.team_object(team)).collect()
    }

    pub fn team(&self, id: &TeamId) -> Result<Team, Refusal> {
        let team = self.contest.teams.get(id).filter(|team| self.sees_team(team));
        team.map(|team| self.team_object(team)).ok_or_else(|| Refusal::not_found("team", id))
    }

    pub fn team_settings(&self) -> Result<impl Iterator<Item = &'a TeamSettings>, Refusal> {
        self.require_jury()?;
        Ok(self.contest.teams.values())
    }

    pub(super) fn sees_team(&self, team: &TeamSettings) -> bool {
        let is_own = matches!(&self.sight, Sight::Team(own) if *own == team.id);
        self.is_jury() || is_own || self.contest.is_public_team(team)
    }

    pub fn is_public_team(&self, id: &TeamId) -> bool {
        self.contest.is_public_team_id(id)
    }

    fn team_object(&self, team: &TeamSettings) -> Team {
        let mut object = team.object(self.is_jury());
        object.group_ids.retain(|id| self.groups().any(|group| group.id == *id));
        object
    }
}
