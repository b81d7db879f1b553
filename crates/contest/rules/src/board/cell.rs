//! What has come of a team's submissions to a problem.

use super::BoardSide;
use super::cells::Cell;
use crate::state::{Contest, StoredResult, Submission};
use crate::{CountedScore, Millis, ProblemId, Score, Scoring, SubmissionNumber};
use model::Verdict;

/// Works out a cell from a team's submissions to the problem, in the order in which they came.
pub(super) fn compute(
    contest: &Contest,
    problem: &ProblemId,
    numbers: &[SubmissionNumber],
    side: BoardSide,
) -> Cell {
    let counted = numbers.iter().filter_map(|number| {
        let submission = contest.submission(*number)?;
        let is_hidden = side == BoardSide::Public && contest.is_frozen(submission);
        let result = if is_hidden { None } else { contest.result(submission) };
        contest.counts(submission).then_some((*number, submission, result))
    });
    match contest.settings.scoring {
        Scoring::PassFail { penalty, compile_penalty } => pass_fail(counted, penalty, compile_penalty),
        Scoring::Points { counted: which } => {
            let max = contest.problems.get(problem).and_then(|problem| problem.settings.max_score);
            points(counted, which, max)
        }
    }
}

type Counted<'a> = (SubmissionNumber, &'a Submission, Option<StoredResult>);

fn pass_fail<'a>(counted: impl Iterator<Item = Counted<'a>>, penalty: Millis, compile_penalty: bool) -> Cell {
    let mut cell = Cell::default();
    for (number, submission, result) in counted {
        match result.map(|result| result.verdict.0) {
            None => cell.wait(number),
            Some(Verdict::Accepted) => {
                let time = submission.contest_time;
                cell.is_solved = true;
                cell.time = Some(time);
                cell.penalty = Millis::minutes(time.whole_minutes())
                    + Millis(penalty.0.saturating_mul(cell.judged.into()));
                cell.judged += 1;
                cell.solved_by = Some(number);
                break;
            }
            Some(Verdict::CompileError) if !compile_penalty => {}
            Some(_) => cell.judged += 1,
        }
    }
    cell
}

fn points<'a>(counted: impl Iterator<Item = Counted<'a>>, which: CountedScore, max: Option<Score>) -> Cell {
    let mut cell = Cell::default();
    let mut best_of_subtasks: Vec<Score> = Vec::new();
    for (number, submission, result) in counted {
        let Some(result) = result else {
            cell.wait(number);
            continue;
        };
        if result.verdict.0 == Verdict::CompileError {
            continue;
        }
        cell.judged += 1;
        let own = result.score.unwrap_or_default();
        let score = match which {
            CountedScore::Best => own.max(cell.score),
            CountedScore::Last => own,
            CountedScore::BestOfSubtasks => {
                let subtasks = submission.subtasks(result);
                best_of_subtasks.resize(best_of_subtasks.len().max(subtasks.len()), Score(0));
                for (best, score) in best_of_subtasks.iter_mut().zip(subtasks) {
                    *best = score.max(*best);
                }
                Score(best_of_subtasks.iter().fold(0, |sum, score| score.0.saturating_add(sum)))
            }
        };
        let is_last = which == CountedScore::Last;
        if score != cell.score || is_last {
            cell.score = score;
            cell.time = (score > Score(0)).then_some(submission.contest_time);
            let is_solved = max.is_some_and(|max| score >= max);
            if !(is_solved && cell.is_solved) {
                cell.solved_by = is_solved.then_some(number);
            }
            cell.is_solved = is_solved;
        }
    }
    cell
}

impl Cell {
    fn wait(&mut self, number: SubmissionNumber) {
        self.pending += 1;
        self.first_pending.get_or_insert(number);
    }
}
