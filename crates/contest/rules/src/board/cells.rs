//! What is kept of boards.

use crate::{Millis, ProblemId, Score, SubmissionNumber, TeamId};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Boards(pub(super) BTreeMap<TeamId, BTreeMap<ProblemId, ProblemAttempts>>);

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ProblemAttempts {
    pub(super) submissions: Vec<SubmissionNumber>,
    pub(super) jury: Cell,
    pub(super) public: Cell,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BoardSide {
    Public,
    Jury,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CellChange {
    pub jury: bool,
    pub public: bool,
    pub is_newly_solved: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Cell {
    /// Judged submissions that count: those before the first accepted one, and it. A compile error counts only if it costs.
    pub judged: u32,
    /// Submissions that are queued, being judged or frozen.
    pub pending: u32,
    /// Whether it is solved: accepted, or all points.
    pub is_solved: bool,
    /// When it was solved, or the score last improved.
    pub time: Option<Millis>,
    /// What it costs; only when solved.
    pub penalty: Millis,
    /// The score; only for points.
    pub score: Score,
    #[serde(skip)]
    pub solved_by: Option<SubmissionNumber>,
    #[serde(skip)]
    pub first_pending: Option<SubmissionNumber>,
}
