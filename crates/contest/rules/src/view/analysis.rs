//! How the contest goes, in numbers for the jury: by problem, by language, over time.

use super::View;
use crate::board::BoardSide;
use crate::state::Submission;
use crate::{GroupId, LanguageId, Millis, ProblemId, Refusal, SubmissionNumber, TeamId};
use model::{Nanos, Verdict};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Enough for a curve, and few enough to send for each of many problems.
const STEPS_MAX: i64 = 100;
/// What a step of time can be, in minutes: readers know these.
const STEPS: [i64; 12] = [1, 2, 5, 10, 15, 30, 60, 120, 360, 720, 1440, 10_080];
/// How many parts of the time limit there are; the last one has all times above them, up to twice the limit and beyond.
const TIME_PARTS: usize = 41;
/// Into how many parts the time limit is divided.
pub const PARTS_OF_LIMIT: u64 = 20;
/// The last number of attempts stands for all above it.
const ATTEMPTS_MAX: usize = 20;

/// How a contest goes: of the submissions that count, of teams that the public may know.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AnalysisView<'a> {
    /// How long a step of contest time is.
    pub step: Millis,
    pub counts: Counts,
    pub teams: u32,
    pub teams_tried: u32,
    pub teams_solved: u32,
    pub problems: Vec<ProblemAnalysis<'a>>,
    pub languages: Vec<LanguageAnalysis<'a>>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Counts {
    pub submissions: u32,
    pub pending: u32,
    /// How often each verdict came: the one that counts.
    pub verdicts: BTreeMap<&'static str, u32>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProblemAnalysis<'a> {
    pub problem: &'a ProblemId,
    pub counts: Counts,
    pub teams_tried: u32,
    pub teams_solved: u32,
    /// The earliest solution.
    pub first: Option<FirstSolve<'a>>,
    /// How many teams solved it at the first attempt, the second, and so on; the last one stands for all later ones.
    pub attempts: Vec<u32>,
    pub sent: Vec<u32>,
    /// Teams that solved it in each step of contest time.
    pub solved: Vec<u32>,
    pub time_limit: Option<Nanos>,
    /// How many accepted judgements have their slowest case in each part of the limit; empty without one.
    pub accepted_times: Vec<u32>,
    /// The same of those that were not accepted.
    pub other_times: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FirstSolve<'a> {
    pub team: &'a TeamId,
    pub submission: SubmissionNumber,
    pub contest_time: Millis,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LanguageAnalysis<'a> {
    pub language: &'a LanguageId,
    pub counts: Counts,
    pub teams: u32,
}

impl Counts {
    fn add(&mut self, verdict: Option<Verdict>) {
        self.submissions += 1;
        match verdict {
            Some(verdict) => *self.verdicts.entry(verdict.clics_id()).or_default() += 1,
            None => self.pending += 1,
        }
    }
}

impl<'a> ProblemAnalysis<'a> {
    fn new(problem: &'a crate::state::Problem, steps: usize) -> Self {
        let parts = if problem.settings.time_limit.is_some() { TIME_PARTS } else { 0 };
        Self {
            problem: &problem.settings.id,
            counts: Counts::default(),
            teams_tried: 0,
            teams_solved: 0,
            first: None,
            attempts: Vec::new(),
            sent: vec![0; steps],
            solved: vec![0; steps],
            time_limit: problem.settings.time_limit,
            accepted_times: vec![0; parts],
            other_times: vec![0; parts],
        }
    }

    fn add_run_time(&mut self, submission: &Submission) {
        let done = submission.current().and_then(|current| current.done.as_ref());
        let (Some(done), Some(limit)) = (done, self.time_limit) else { return };
        let Some(time) = done.max_run_time else { return };
        let part = u128::from(time.0) * u128::from(PARTS_OF_LIMIT) / u128::from(limit.0.max(1));
        let part = usize::try_from(part).unwrap_or(usize::MAX).min(TIME_PARTS - 1);
        let is_accepted = done.result.verdict.0 == Verdict::Accepted;
        let times = if is_accepted { &mut self.accepted_times } else { &mut self.other_times };
        times[part] += 1;
    }

    fn add_attempts(&mut self, attempts: u32) {
        let index = (attempts.max(1) as usize).min(ATTEMPTS_MAX) - 1;
        self.attempts.resize(self.attempts.len().max(index + 1), 0);
        self.attempts[index] += 1;
    }
}

/// Returns the step of time in which a contest of this length has few enough.
fn step_of(duration: Millis) -> Millis {
    let fits = |minutes: &i64| Millis::minutes(*minutes).0.saturating_mul(STEPS_MAX) >= duration.0;
    let longest = Millis(duration.0 / STEPS_MAX + 1);
    STEPS.into_iter().find(fits).map_or(longest, Millis::minutes)
}

impl<'a> View<'a> {
    /// Returns how the contest goes: of all teams, or of a group's.
    pub fn analysis(&self, group: Option<&GroupId>) -> Result<AnalysisView<'a>, Refusal> {
        self.require_jury()?;
        if let Some(group) = group
            && !self.contest.groups.contains_key(group)
        {
            return Err(Refusal::not_found("group", group));
        }
        let contest = self.contest;
        let step = step_of(contest.settings.duration);
        let step_at = |time: Millis| usize::try_from(time.0 / step.0).unwrap_or_default();
        let steps = step_at(Millis(contest.settings.duration.0 - 1)) + 1;
        let teams: BTreeSet<&TeamId> = contest
            .teams
            .values()
            .filter(|team| contest.is_public_team(team))
            .filter(|team| group.is_none_or(|group| team.groups.contains(group)))
            .map(|team| &team.id)
            .collect();

        let mut counts = Counts::default();
        let new = |(id, problem)| (id, (ProblemAnalysis::new(problem, steps), BTreeSet::new()));
        let mut problems: BTreeMap<&ProblemId, (ProblemAnalysis<'a>, BTreeSet<&TeamId>)> =
            contest.problems.iter().map(new).collect();
        let mut languages: BTreeMap<&LanguageId, (Counts, BTreeSet<&TeamId>)> = BTreeMap::new();
        for submission in &contest.submissions {
            let Some(team) = submission.team.as_ref().filter(|team| teams.contains(team)) else { continue };
            let Some((problem, of_problem)) = problems.get_mut(&submission.problem) else { continue };
            if !contest.counts(submission) {
                continue;
            }
            let verdict = contest.result(submission).map(|result| result.verdict.0);
            counts.add(verdict);
            problem.counts.add(verdict);
            of_problem.insert(team);
            problem.sent[step_at(submission.contest_time).min(steps - 1)] += 1;
            problem.add_run_time(submission);
            let (of_language, users) = languages.entry(&submission.language).or_default();
            of_language.add(verdict);
            users.insert(team);
        }

        let mut solved = BTreeSet::new();
        for (team, problem, cell) in contest.boards.cells(BoardSide::Jury) {
            let Some((problem, _)) = problems.get_mut(problem).filter(|_| teams.contains(team)) else {
                continue;
            };
            let (true, Some(submission), Some(contest_time)) = (cell.is_solved, cell.solved_by, cell.time)
            else {
                continue;
            };
            problem.teams_solved += 1;
            solved.insert(team);
            problem.add_attempts(cell.judged);
            problem.solved[step_at(contest_time).min(steps - 1)] += 1;
            if problem.first.is_none_or(|first| submission < first.submission) {
                problem.first = Some(FirstSolve { team, submission, contest_time });
            }
        }

        let tried: BTreeSet<_> = problems.values().flat_map(|(_, teams)| teams).collect();
        let teams_tried = tried.len() as u32;
        let order = contest.problems_in_order().into_iter().filter_map(|id| problems.remove(id));
        Ok(AnalysisView {
            step,
            counts,
            teams: teams.len() as u32,
            teams_tried,
            teams_solved: solved.len() as u32,
            problems: order
                .map(|(problem, of_problem)| ProblemAnalysis {
                    teams_tried: of_problem.len() as u32,
                    ..problem
                })
                .collect(),
            languages: languages
                .into_iter()
                .map(|(language, (counts, users))| LanguageAnalysis {
                    language,
                    counts,
                    teams: users.len() as u32,
                })
                .collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_leaves_few_enough() {
        for (minutes, expect) in [(1, 1), (100, 1), (101, 2), (300, 5), (1440, 15), (10_080, 120)] {
            assert_eq!(step_of(Millis::minutes(minutes)), Millis::minutes(expect), "{minutes}");
        }
        let longest = Millis(i64::MAX / 2);
        assert!(longest.0 / step_of(longest).0 <= STEPS_MAX);
    }
}
