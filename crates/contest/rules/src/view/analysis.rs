//! How the contest goes, in numbers for the jury: by problem, by language, over time.

use super::View;
use crate::board::BoardSide;
use crate::state::Submission;
use crate::{GroupId, LanguageId, Millis, ProblemId, ProblemSettings, Refusal, SubmissionNumber, TeamId};
use documents::contest::{Analysis, FirstSolve, LanguageAnalysis, ProblemAnalysis, RelTime, RunTimes};
use model::{Nanos, Verdict};
use std::collections::{BTreeMap, BTreeSet};

/// Enough for a curve, and few enough to send for each of many problems.
const STEPS_MAX: i64 = 100;
/// What a step of time can be, in minutes: readers know these.
const STEPS: [i64; 12] = [1, 2, 5, 10, 15, 30, 60, 120, 360, 720, 1440, 10_080];
/// How many parts of the time limit there are; the last one has all times above them, up to twice the limit and beyond.
const TIME_PARTS: usize = 41;
/// Into how many parts the time limit is divided.
const PARTS_OF_LIMIT: u64 = 20;
/// The last number of attempts stands for all above it.
const ATTEMPTS_MAX: usize = 20;

#[derive(Default)]
struct Counts {
    submissions: u32,
    pending: u32,
    /// How often each verdict came: the one that counts.
    verdicts: BTreeMap<String, u32>,
}

/// What is counted of a problem, and of what.
struct OfProblem<'a> {
    analysis: ProblemAnalysis,
    counts: Counts,
    teams: BTreeSet<&'a TeamId>,
    first: Option<SubmissionNumber>,
    time_limit: Option<Nanos>,
}

impl Counts {
    fn add(&mut self, verdict: Option<Verdict>) {
        self.submissions += 1;
        match verdict {
            Some(verdict) => *self.verdicts.entry(verdict.clics_id().to_owned()).or_default() += 1,
            None => self.pending += 1,
        }
    }
}

impl OfProblem<'_> {
    fn new(problem: &crate::state::Problem, steps: usize) -> Self {
        let ProblemSettings { id, time_limit, .. } = &problem.settings;
        let analysis = ProblemAnalysis {
            problem_id: id.to_string(),
            sent: vec![0; steps],
            solved: vec![0; steps],
            time_limit: time_limit.map(Nanos::as_clics_secs),
            run_times: time_limit.map(|_| RunTimes {
                step: 1.0 / PARTS_OF_LIMIT as f64,
                accepted: vec![0; TIME_PARTS],
                others: vec![0; TIME_PARTS],
            }),
            ..Default::default()
        };
        Self {
            analysis,
            counts: Counts::default(),
            teams: BTreeSet::new(),
            first: None,
            time_limit: *time_limit,
        }
    }

    fn add_run_time(&mut self, submission: &Submission) {
        let done = submission.current().and_then(|current| current.done.as_ref());
        let (Some(done), Some(limit)) = (done, self.time_limit) else { return };
        let (Some(time), Some(times)) = (done.max_run_time, &mut self.analysis.run_times) else { return };
        let part = u128::from(time.0) * u128::from(PARTS_OF_LIMIT) / u128::from(limit.0.max(1));
        let part = usize::try_from(part).unwrap_or(usize::MAX).min(TIME_PARTS - 1);
        let is_accepted = done.result.verdict.0 == Verdict::Accepted;
        let times = if is_accepted { &mut times.accepted } else { &mut times.others };
        times[part] += 1;
    }

    fn add_attempts(&mut self, attempts: u32) {
        let index = (attempts.max(1) as usize).min(ATTEMPTS_MAX) - 1;
        let counts = &mut self.analysis.attempts;
        counts.resize(counts.len().max(index + 1), 0);
        counts[index] += 1;
    }

    fn finish(self) -> ProblemAnalysis {
        let Counts { submissions, pending, verdicts } = self.counts;
        let teams_tried = self.teams.len() as u32;
        ProblemAnalysis { submissions, pending, verdicts, teams_tried, ..self.analysis }
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
    pub fn analysis(&self, group: Option<&GroupId>) -> Result<Analysis, Refusal> {
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
        let mut problems: BTreeMap<&ProblemId, OfProblem<'_>> =
            contest.problems.iter().map(|(id, problem)| (id, OfProblem::new(problem, steps))).collect();
        let mut languages: BTreeMap<&LanguageId, (Counts, BTreeSet<&TeamId>)> = BTreeMap::new();
        for submission in &contest.submissions {
            let Some(team) = submission.team.as_ref().filter(|team| teams.contains(team)) else { continue };
            let Some(problem) = problems.get_mut(&submission.problem) else { continue };
            if !contest.counts(submission) {
                continue;
            }
            let verdict = contest.result(submission).map(|result| result.verdict.0);
            counts.add(verdict);
            problem.counts.add(verdict);
            problem.teams.insert(team);
            problem.analysis.sent[step_at(submission.contest_time).min(steps - 1)] += 1;
            problem.add_run_time(submission);
            let (of_language, users) = languages.entry(&submission.language).or_default();
            of_language.add(verdict);
            users.insert(team);
        }

        let mut solved = BTreeSet::new();
        for (team, problem, cell) in contest.boards.cells(BoardSide::Jury) {
            let Some(problem) = problems.get_mut(problem).filter(|_| teams.contains(team)) else {
                continue;
            };
            let (true, Some(submission), Some(contest_time)) = (cell.is_solved, cell.solved_by, cell.time)
            else {
                continue;
            };
            problem.analysis.teams_solved += 1;
            solved.insert(team);
            problem.add_attempts(cell.judged);
            problem.analysis.solved[step_at(contest_time).min(steps - 1)] += 1;
            if problem.first.is_none_or(|first| submission < first) {
                problem.first = Some(submission);
                problem.analysis.first_solve = Some(FirstSolve {
                    team_id: team.to_string(),
                    submission_id: submission.to_string(),
                    contest_time: RelTime(contest_time.0),
                });
            }
        }

        let tried: BTreeSet<_> = problems.values().flat_map(|problem| &problem.teams).collect();
        let teams_tried = tried.len() as u32;
        let order = contest.problems_in_order().into_iter().filter_map(|id| problems.remove(id));
        let of_language = |(id, (counts, users)): (&LanguageId, (Counts, BTreeSet<_>))| LanguageAnalysis {
            language_id: id.to_string(),
            submissions: counts.submissions,
            pending: counts.pending,
            verdicts: counts.verdicts,
            teams: users.len() as u32,
        };
        Ok(Analysis {
            step: RelTime(step.0),
            submissions: counts.submissions,
            pending: counts.pending,
            verdicts: counts.verdicts,
            teams: teams.len() as u32,
            teams_tried,
            teams_solved: solved.len() as u32,
            problems: order.map(OfProblem::finish).collect(),
            languages: languages.into_iter().map(of_language).collect(),
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
