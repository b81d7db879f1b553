//! Scoreboards: the public one, as the freeze leaves it, and the jury's. Kept by cell as events come; ranks are worked
//! out when a board is asked for.

mod awards;
mod cell;
mod cells;

pub use awards::{Award, award_id};
use cells::ProblemAttempts;
pub use cells::{BoardSide, Cell};
pub(crate) use cells::{Boards, CellChange};

use crate::state::{Contest, Submission};
use crate::{GroupId, Millis, ProblemId, Score, Scoring, SubmissionNumber, TeamId, TeamSettings, order};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;

impl ProblemAttempts {
    fn cell(&self, side: BoardSide) -> Option<&Cell> {
        let cell = match side {
            BoardSide::Public => &self.public,
            BoardSide::Jury => &self.jury,
        };
        (*cell != Cell::default()).then_some(cell)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Board<'a> {
    pub side: BoardSide,
    /// Whether the public sees late submissions as pending.
    pub is_frozen: bool,
    pub is_final: bool,
    pub problems: Vec<&'a ProblemId>,
    pub rows: Vec<BoardRow<'a>>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BoardRow<'a> {
    /// From 1; ties share it. `None` for hidden teams, which the jury sees.
    pub rank: Option<u32>,
    pub team: &'a TeamId,
    pub name: &'a str,
    pub solved: u32,
    /// The penalty time; zero for points.
    pub total_time: Millis,
    /// The score; zero for pass-fail.
    pub score: Score,
    /// When it last improved; `None` if it has not scored.
    pub time: Option<Millis>,
    /// Its cells, in the order of the problems; without those that it has not tried.
    pub problems: Vec<BoardCell<'a>>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BoardCell<'a> {
    pub problem: &'a ProblemId,
    #[serde(flatten)]
    pub cell: Cell,
    /// Whether it was the first to solve it: certain, since nothing earlier is unjudged.
    pub is_first: bool,
}

impl Boards {
    pub fn add(&mut self, number: SubmissionNumber, submission: &Submission) {
        let Some(team) = &submission.team else { return };
        let problem = &submission.problem;
        if let Some(tried) = self.0.get_mut(team).and_then(|of_team| of_team.get_mut(problem)) {
            return tried.submissions.push(number);
        }
        let tried = ProblemAttempts { submissions: vec![number], ..ProblemAttempts::default() };
        self.0.entry(team.clone()).or_default().insert(problem.clone(), tried);
    }

    pub fn update(&mut self, contest: &Contest, team: &TeamId, problem: &ProblemId) -> CellChange {
        match self.0.get_mut(team).and_then(|of_team| of_team.get_mut(problem)) {
            Some(tried) => tried.update(contest, problem),
            None => CellChange::default(),
        }
    }

    /// Returns whether the cells of some teams are the same as on other boards.
    pub fn is_same(&self, side: BoardSide, other: &Self, counts: impl Fn(&TeamId) -> bool) -> bool {
        let cells = |boards: &'_ Self| {
            let teams = boards.0.iter().filter(|(team, _)| counts(team));
            let tried = teams.flat_map(|(team, of_team)| of_team.iter().map(move |entry| (team, entry)));
            tried
                .filter_map(|(team, (problem, tried))| {
                    Some((team.clone(), problem.clone(), tried.cell(side)?.clone()))
                })
                .collect::<Vec<_>>()
        };
        cells(self) == cells(other)
    }

    /// Returns a team's submissions, in no order.
    pub fn of_team(&self, team: &TeamId) -> impl Iterator<Item = SubmissionNumber> {
        let tried = self.0.get(team).into_iter().flat_map(BTreeMap::values);
        tried.flat_map(|tried| tried.submissions.iter().copied())
    }

    pub fn cells(&self, side: BoardSide) -> impl Iterator<Item = (&TeamId, &ProblemId, &Cell)> {
        let tried = self.0.iter().flat_map(|(team, of_team)| of_team.iter().map(move |entry| (team, entry)));
        tried.filter_map(move |(team, (problem, tried))| Some((team, problem, tried.cell(side)?)))
    }

    pub fn cell(&self, side: BoardSide, team: &TeamId, problem: &ProblemId) -> Option<&Cell> {
        self.0.get(team)?.get(problem)?.cell(side)
    }
}

impl ProblemAttempts {
    fn update(&mut self, contest: &Contest, problem: &ProblemId) -> CellChange {
        let numbers = &self.submissions;
        let jury = cell::compute(contest, problem, numbers, BoardSide::Jury);
        let is_frozen = |number: &SubmissionNumber| {
            contest.submission(*number).is_some_and(|entry| contest.is_frozen(entry))
        };
        // Submissions come in the order of time, so the last one is the first to be frozen.
        let public = match numbers.last().is_some_and(is_frozen) {
            true => cell::compute(contest, problem, numbers, BoardSide::Public),
            false => jury.clone(),
        };
        let change = CellChange {
            jury: jury != self.jury,
            public: public != self.public,
            is_newly_solved: jury.is_solved && !self.jury.is_solved,
        };
        (self.jury, self.public) = (jury, public);
        change
    }
}

impl Contest {
    pub fn rebuild_boards(&mut self) {
        let mut boards = Boards::default();
        for (number, submission) in self.numbered() {
            boards.add(number, submission);
        }
        for (problem, tried) in boards.0.values_mut().flatten() {
            tried.update(self, problem);
        }
        self.boards = boards;
    }

    pub fn update_cells(&mut self, number: SubmissionNumber) -> CellChange {
        let mut boards = std::mem::take(&mut self.boards);
        let of = self.submission(number).and_then(|entry| Some((entry.team.as_ref()?, &entry.problem)));
        let change = of.map(|(team, problem)| boards.update(self, team, problem)).unwrap_or_default();
        self.boards = boards;
        change
    }

    pub fn board(&self, side: BoardSide, group: Option<&GroupId>) -> Board<'_> {
        let group = group.or(self.settings.main_group.as_ref());
        let problems = self.problems_in_order();
        let mut rows: Vec<BoardRow<'_>> = self
            .teams
            .values()
            .filter(|team| group.is_none_or(|group| team.groups.contains(group)))
            .filter(|team| side == BoardSide::Jury || self.is_public_team(team))
            .map(|team| self.row(side, team, &problems))
            .collect();
        sort(&mut rows, |row| self.order(row));
        self.set_ranks(&mut rows);
        set_first(&mut rows, &problems, self);
        Board {
            side,
            is_frozen: side == BoardSide::Public && self.phase().hides_results(),
            is_final: self.finalized.is_some()
                && !(side == BoardSide::Public && self.phase().hides_results()),
            problems,
            rows,
        }
    }

    pub fn problems_in_order(&self) -> Vec<&ProblemId> {
        let mut problems: Vec<_> = self.problems.values().map(|problem| &problem.settings).collect();
        problems.sort_by_key(|problem| (problem.ordinal, &problem.id));
        problems.into_iter().map(|problem| &problem.id).collect()
    }

    fn row<'a>(
        &'a self,
        side: BoardSide,
        team: &'a TeamSettings,
        problems: &[&'a ProblemId],
    ) -> BoardRow<'a> {
        let tried = self.boards.0.get(&team.id);
        let problems: Vec<BoardCell<'_>> = problems
            .iter()
            .filter_map(|problem| {
                let cell = tried?.get(*problem)?.cell(side)?.clone();
                Some(BoardCell { problem, cell, is_first: false })
            })
            .collect();
        let solved = problems.iter().filter(|entry| entry.cell.is_solved).count() as u32;
        let sum = |values: &mut dyn Iterator<Item = i64>| values.fold(0, i64::saturating_add);
        let penalty = sum(&mut problems.iter().map(|entry| entry.cell.penalty.0));
        let is_pass_fail = matches!(self.settings.scoring, Scoring::PassFail { .. });
        let adjustment = if is_pass_fail { team.penalty_adjustment } else { Millis::ZERO };
        BoardRow {
            rank: None,
            team: &team.id,
            name: team.display_name.as_deref().unwrap_or(&team.name),
            solved,
            total_time: Millis(penalty.saturating_add(adjustment.0)),
            score: Score(sum(&mut problems.iter().map(|entry| entry.cell.score.0))),
            time: problems.iter().filter_map(|entry| entry.cell.time).max(),
            problems,
        }
    }

    /// Returns what rows are ordered by: equal ones share a rank.
    fn order(&self, row: &BoardRow<'_>) -> (Reverse<i64>, Millis, i64) {
        match self.settings.scoring {
            Scoring::PassFail { .. } => {
                (Reverse(row.solved.into()), row.total_time, row.time.unwrap_or_default().whole_minutes())
            }
            Scoring::Points { .. } => (Reverse(row.score.0), Millis::ZERO, row.time.unwrap_or_default().0),
        }
    }

    fn set_ranks(&self, rows: &mut [BoardRow<'_>]) {
        let (mut place, mut last) = (0, None);
        for row in rows {
            if !self.teams.get(row.team).is_some_and(|team| self.is_public_team(team)) {
                continue;
            }
            place += 1;
            let order = self.order(row);
            let rank = match last {
                Some((same, rank)) if same == order => rank,
                _ => place,
            };
            last = Some((order, rank));
            row.rank = Some(rank);
        }
    }
}

/// Orders rows; equal ones by the teams' names as the Unicode Collation Algorithm does (CLICS Contest API, scoreboard).
fn sort<K: Ord>(rows: &mut Vec<BoardRow<'_>>, order: impl Fn(&BoardRow<'_>) -> K) {
    let by_name = order::of_names();
    let mut keyed: Vec<(K, BoardRow<'_>)> = rows.drain(..).map(|row| (order(&row), row)).collect();
    keyed.sort_by(|(a, of_a), (b, of_b)| {
        let by_id = || of_a.team.cmp(of_b.team);
        a.cmp(b).then_with(|| by_name(of_a.name, of_b.name)).then_with(by_id)
    });
    rows.extend(keyed.into_iter().map(|(_, row)| row));
}

/// Marks who was first to solve each problem, if no earlier submission of these teams is unjudged. Hidden teams are
/// never first.
fn set_first(rows: &mut [BoardRow<'_>], problems: &[&ProblemId], contest: &Contest) {
    for problem in problems {
        let is_full = |cell: &Cell| cell.is_solved && contest.problems.contains_key(*problem);
        let cells = || {
            let ranked = rows.iter().enumerate().filter(|(_, row)| row.rank.is_some());
            ranked.filter_map(|(at, row)| {
                Some((at, row.problems.iter().position(|cell| cell.problem == *problem)?))
            })
        };
        let first = cells()
            .filter(|(row, cell)| is_full(&rows[*row].problems[*cell].cell))
            .min_by_key(|(row, cell)| rows[*row].problems[*cell].cell.solved_by);
        let pending = cells().filter_map(|(row, cell)| rows[row].problems[cell].cell.first_pending).min();
        if let Some((row, cell)) = first {
            let by = rows[row].problems[cell].cell.solved_by;
            if pending.is_none_or(|pending| Some(pending) > by) {
                rows[row].problems[cell].is_first = true;
            }
        }
    }
}
