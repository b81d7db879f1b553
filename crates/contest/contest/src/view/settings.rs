//! What a viewer sees of the contest itself, its problems and its people.

use super::View;
use crate::roles::Sight;
use crate::state::{Contest, Finalized, Problem};
use crate::{
    AccountId, BlobHash, ContestId, ContestSettings, Feedback, GroupId, Instant, LanguageId, Location,
    Millis, Phase, ProblemFiles, ProblemId, ProblemSettings, Refusal, Score, Scoring, SubmissionLimits, Team,
    TeamId, TeamSettings,
};
use model::{Bytes, Nanos};
use serde::Serialize;
use std::collections::BTreeSet;

/// A contest.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ContestView<'a> {
    /// Its id.
    pub id: &'a ContestId,
    /// Its short name.
    pub name: &'a str,
    /// Its full name.
    pub formal_name: Option<&'a str>,
    /// When it starts; `None` while unknown or paused.
    pub start: Option<Instant>,
    /// The time left while the countdown is paused.
    pub countdown_pause: Option<Millis>,
    /// How long it lasts.
    pub duration: Millis,
    /// How long before the end the board freezes.
    pub freeze: Option<Millis>,
    /// When the board thaws.
    pub thaw: Option<Instant>,
    /// When it ends, as far as known: pauses move it.
    pub end: Option<Instant>,
    /// Whether its time stands still.
    pub is_paused: bool,
    /// How submissions become a board.
    pub scoring: Scoring,
    /// Which languages are allowed; empty for all.
    pub languages: &'a BTreeSet<LanguageId>,
    /// Whether teams can submit after the end.
    pub practice: bool,
    /// Whether the viewer sees each case of a judgement.
    pub shows_cases: bool,
    /// The group on the main board.
    pub main_group: Option<&'a GroupId>,
    /// Categories of clarifications.
    pub clarification_categories: &'a [String],
    /// What a team may send.
    pub submission_limits: SubmissionLimits,
    /// Where it is held.
    pub location: Option<&'a Location>,
    /// What the jury sees beside.
    pub jury: Option<JuryContestView<'a>>,
}

/// What only the jury sees of a contest.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JuryContestView<'a> {
    /// All settings.
    pub settings: &'a ContestSettings,
    /// What the jury said when it made the result final.
    pub final_comment: Option<&'a str>,
    /// The ICPC's B.
    pub extra_bronze: u32,
    /// What stands against finalising it: a word for each kind, and how much there is.
    pub open: Vec<(&'static str, String)>,
}

/// When things happened (CLICS `state`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct StateView {
    /// When it started.
    pub started: Option<Instant>,
    /// When the board froze.
    pub frozen: Option<Instant>,
    /// When it ended.
    pub ended: Option<Instant>,
    /// When the board thawed.
    pub thawed: Option<Instant>,
    /// When the result became final.
    pub finalized: Option<Instant>,
    /// When nothing was left to change.
    pub end_of_updates: Option<Instant>,
}

/// A problem.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProblemView<'a> {
    /// Its id.
    pub id: &'a ProblemId,
    /// The UUID of its package.
    pub uuid: Option<&'a str>,
    /// Its letter.
    pub label: &'a str,
    /// Its place in the order.
    pub ordinal: u32,
    /// Its name.
    pub name: &'a str,
    /// The colour of its balloon.
    pub rgb: Option<&'a str>,
    /// The colour's name.
    pub color: Option<&'a str>,
    /// The limit on CPU time.
    pub time_limit: Option<Nanos>,
    /// The limit on memory.
    pub memory_limit: Bytes,
    /// The limit on output.
    pub output_limit: Bytes,
    /// The limit on source code.
    pub code_limit: Bytes,
    /// How many test cases there are.
    pub test_data_count: u32,
    /// The highest score.
    pub max_score: Option<Score>,
    /// Which languages are allowed; empty for the contest's.
    pub languages: &'a BTreeSet<LanguageId>,
    /// Whether its judging waits.
    pub is_paused: bool,
    /// Its statements, samples and other files.
    pub files: &'a ProblemFiles,
    /// What the jury sees beside.
    pub jury: Option<JuryProblemView<'a>>,
}

/// What only the jury sees of a problem.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JuryProblemView<'a> {
    /// All settings.
    pub settings: &'a ProblemSettings,
    /// Its package.
    pub package: &'a BlobHash,
    /// Who added it.
    pub added_by: Option<&'a AccountId>,
    /// Who verified it.
    pub verified_by: Option<&'a AccountId>,
    /// Why its package is not judged for now.
    pub paused_because: Option<&'a str>,
}

impl Contest {
    /// Returns what has happened so far.
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
    /// Returns the contest.
    pub fn contest(&self) -> ContestView<'a> {
        let settings = &self.contest.settings;
        ContestView {
            id: self.id,
            name: &settings.name,
            formal_name: settings.formal_name.as_deref(),
            start: settings.start,
            countdown_pause: settings.countdown_pause,
            duration: settings.duration,
            freeze: settings.freeze,
            thaw: settings.thaw,
            end: settings.end(),
            is_paused: settings.is_paused(),
            scoring: settings.scoring,
            languages: &settings.languages,
            practice: settings.practice,
            shows_cases: self.is_jury() || settings.feedback == Feedback::Cases,
            main_group: settings.main_group.as_ref().filter(|id| self.groups().any(|group| group.id == **id)),
            clarification_categories: &settings.clarification_categories,
            submission_limits: settings.submission_limits,
            location: settings.location.as_ref(),
            jury: self.jury().ok(),
        }
    }

    /// Returns what only the jury sees of the contest.
    ///
    /// # Errors
    ///
    /// When the viewer is not of the jury.
    pub fn jury(&self) -> Result<JuryContestView<'a>, Refusal> {
        self.require_jury()?;
        Ok(JuryContestView {
            settings: &self.contest.settings,
            final_comment: self.contest.finalized.as_ref().map(|finalized| finalized.comment.as_str()),
            extra_bronze: self.contest.finalized.as_ref().map_or(0, |finalized| finalized.extra_bronze),
            open: self.contest.open_ends(),
        })
    }

    /// Returns the languages in which there is a submission or may be one; `None` for all.
    pub fn languages(&self) -> Option<BTreeSet<&'a LanguageId>> {
        let allowed = &self.contest.settings.languages;
        let used = self.contest.submissions.iter().map(|submission| &submission.language);
        (!allowed.is_empty()).then(|| allowed.iter().chain(used).collect())
    }

    /// Returns what has happened so far.
    pub fn state(&self) -> StateView {
        self.contest.happened()
    }

    /// Returns how far the contest is.
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

    /// Returns a problem.
    ///
    /// # Errors
    ///
    /// When there is none that the viewer may know of.
    pub fn problem(&self, id: &ProblemId) -> Result<ProblemView<'a>, Refusal> {
        let problem =
            self.contest.problems.get(id).filter(|_| self.is_jury() || self.contest.phase().started);
        problem.map(|problem| self.problem_view(problem)).ok_or_else(|| Refusal::not_found("problem", id))
    }

    /// Returns what only the jury sees of a problem.
    ///
    /// # Errors
    ///
    /// When there is no such problem that the viewer may know of, or the viewer is not of the jury.
    pub fn jury_problem(&self, id: &ProblemId) -> Result<JuryProblemView<'a>, Refusal> {
        let problem = self.problem(id)?;
        self.require_jury()?;
        problem.jury.ok_or_else(|| Refusal::not_found("problem", id))
    }

    /// Returns the package of a problem from which its statement, samples and attachments may be shown to the viewer.
    /// Whole, it is for the jury.
    ///
    /// # Errors
    ///
    /// When there is none that the viewer may know of.
    pub fn statement_source(&self, id: &ProblemId) -> Result<&'a BlobHash, Refusal> {
        self.problem(id)?;
        Ok(&self.contest.problems[id].settings.package)
    }

    fn problem_view(&self, problem: &'a Problem) -> ProblemView<'a> {
        let settings = &problem.settings;
        let scope = crate::PauseScope::Package(settings.package.clone());
        ProblemView {
            id: &settings.id,
            uuid: settings.uuid.as_deref(),
            label: &settings.label,
            ordinal: settings.ordinal,
            name: &settings.name,
            rgb: settings.rgb.as_deref(),
            color: settings.color.as_deref(),
            time_limit: settings.time_limit,
            memory_limit: settings.memory_limit,
            output_limit: settings.output_limit,
            code_limit: settings.code_limit,
            test_data_count: settings.test_data_count,
            max_score: settings.max_score,
            languages: &settings.languages,
            is_paused: settings.is_paused,
            files: &settings.files,
            jury: self.is_jury().then(|| JuryProblemView {
                settings,
                package: &settings.package,
                added_by: problem.added_by.as_ref(),
                verified_by: settings.verified_by.as_ref(),
                paused_because: self.state.paused.get(&scope).map(String::as_str),
            }),
        }
    }

    /// Returns the teams.
    pub fn teams(&self) -> Vec<Team> {
        let seen = self.contest.teams.values().filter(|team| self.sees_team(team));
        seen.map(|team| self.team_object(team)).collect()
    }

    /// Returns a team.
    ///
    /// # Errors
    ///
    /// When there is none that the viewer may know of.
    pub fn team(&self, id: &TeamId) -> Result<Team, Refusal> {
        let team = self.contest.teams.get(id).filter(|team| self.sees_team(team));
        team.map(|team| self.team_object(team)).ok_or_else(|| Refusal::not_found("team", id))
    }

    /// Returns the settings of the teams; for the jury.
    ///
    /// # Errors
    ///
    /// When the viewer is not of the jury.
    pub fn team_settings(&self) -> Result<impl Iterator<Item = &'a TeamSettings>, Refusal> {
        self.require_jury()?;
        Ok(self.contest.teams.values())
    }

    pub(super) fn sees_team(&self, team: &TeamSettings) -> bool {
        let is_own = matches!(&self.sight, Sight::Team(own) if *own == team.id);
        self.is_jury() || is_own || self.contest.is_public_team(team)
    }

    /// Returns whether the public may know of a team.
    pub fn is_public_team(&self, id: &TeamId) -> bool {
        self.contest.is_public_team_id(id)
    }

    fn team_object(&self, team: &TeamSettings) -> Team {
        let mut object = team.object(self.is_jury());
        object.group_ids.retain(|id| self.groups().any(|group| group.id == *id));
        object
    }
}
