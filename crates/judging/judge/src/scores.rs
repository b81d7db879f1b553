//! The total of the cases, by the package's scoring.

use crate::problem::Problem;
use judging_steps::{CaseEnd, Scoring};
use model::Verdict;
use package::scoring::{self, CaseResult, Grade, GraderCall, Grades, NoTotal, Results};
use std::cell::RefCell;
use std::sync::Arc;

#[derive(Debug)]
pub(crate) struct Scores {
    problem: Arc<Problem>,
    /// Every case is needed.
    all: bool,
    names: Vec<String>,
    grades: Grades,
    /// The results of the finished items counted so far: kept, since they are needed again and again.
    results: RefCell<(usize, Results)>,
}

/// A total, or why the scores are invalid.
pub(crate) type Total = Result<scoring::Total, String>;

impl Scores {
    pub fn new(problem: Arc<Problem>, names: Vec<String>, all: bool) -> Self {
        let all = all || problem.options.all || !problem.options.cases.is_empty();
        Self { problem, all, names, grades: Grades::default(), results: RefCell::default() }
    }

    /// Calls a function with the results of the finished items.
    fn with_results<T>(&self, done: &[CaseEnd], decide: impl FnOnce(&Results) -> T) -> T {
        let (known, results) = &mut *self.results.borrow_mut();
        for end in &done[(*known).min(done.len())..] {
            let checked = end.checked.as_ref();
            let result = CaseResult {
                verdict: end.verdict,
                score: checked.and_then(|checked| checked.score),
                score_multiplier: checked.and_then(|checked| checked.score_multiplier),
            };
            results.insert(self.names[end.item].clone(), result);
        }
        *known = done.len();
        decide(results)
    }
}

fn verdicts(done: &[CaseEnd]) -> impl Iterator<Item = Verdict> {
    done.iter().map(|end| end.verdict)
}

impl Scoring for Scores {
    type Call = GraderCall;
    type Grade = Result<Grade, String>;
    type Total = Total;

    fn needs(&self, done: &[CaseEnd], item: usize) -> Result<bool, GraderCall> {
        if self.all {
            return Ok(true);
        }
        if let Some(choice) = &self.problem.options.error {
            return Ok(choice.can_change(verdicts(done)));
        }
        let package = self.problem.package();
        let (data, is_scoring) = (&package.data, package.kind.scoring);
        self.with_results(done, |results| {
            scoring::still_needed(data, is_scoring, results, &self.grades, &self.names[item])
        })
    }

    fn graded(&mut self, call: GraderCall, grade: Result<Grade, String>) {
        self.grades.insert(call, grade);
    }

    fn total(&self, done: &[CaseEnd]) -> Result<Total, GraderCall> {
        let plain =
            |verdict| Ok(scoring::Total { verdict, score: None, best_score: None, group_scores: Vec::new() });
        if !self.problem.options.cases.is_empty() {
            // A selection of cases has no total; its first failure is the most informative verdict.
            let rejected = verdicts(done).find(|verdict| *verdict != Verdict::Accepted);
            return Ok(plain(rejected.unwrap_or(Verdict::Accepted)));
        }
        if let Some(choice) = &self.problem.options.error {
            return Ok(plain(choice.verdict(verdicts(done))));
        }
        let package = self.problem.package();
        let (data, is_scoring) = (&package.data, package.kind.scoring);
        match self.with_results(done, |results| scoring::total(data, is_scoring, results, &self.grades)) {
            Err(NoTotal::Ungraded(call)) => Err(call),
            total => Ok(total.map_err(|error| error.to_string())),
        }
    }
}
