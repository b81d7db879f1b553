//! Limits the memory of a place's open judgings.

use crate::check::{Checker, feedback_max};
use crate::problem::{Problem, SubmissionSource};
use crate::remains;
use judging_steps::Kind;
pub use judging_steps::OPEN_PER_PLACE_MAX;
use model::Bytes;
use package::TestCase;

/// How much memory all open judgings of a place may need: enough for four with the formats' limits, each with the
/// largest program that a build may leave.
pub const OPEN_BYTES_PER_PLACE_MAX: Bytes = Bytes::from_mib(3072);
/// One case is checked while the next one runs.
const CASES_AT_ONCE: u64 = 2;

/// The memory that open judgings share.
#[derive(Debug, Default)]
pub(crate) struct MemoryBudget {
    open: usize,
    held: u64,
}

impl MemoryBudget {
    /// Returns whether another judging that may need this much can be opened. If it is the only one, it always can.
    pub fn admits(&self, bytes: Bytes) -> bool {
        self.open == 0
            || (self.open < OPEN_PER_PLACE_MAX
                && self.held.saturating_add(bytes.0) <= OPEN_BYTES_PER_PLACE_MAX.0)
    }

    pub fn enter(&mut self, bytes: Bytes) {
        self.open += 1;
        self.held = self.held.saturating_add(bytes.0);
    }

    pub fn leave(&mut self, bytes: Bytes) {
        self.open -= 1;
        self.held = self.held.saturating_sub(bytes.0);
    }
}

/// Returns the most that a judging can need: its files, the program, inputs and outputs of its present cases, and the
/// kept outputs of finished ones. Measuring what it really uses would come too late, since that grows after it was
/// opened.
pub(crate) fn bytes_max(problem: &Problem, source: &SubmissionSource, cases: &[&TestCase]) -> Bytes {
    let package = problem.package();
    let size = |case: &&TestCase| std::fs::metadata(&case.input).map_or(0, |data| data.len());
    let input = cases.iter().map(size).max().unwrap_or(0);
    let says_more = matches!(problem.programs.checker, Checker::Custom { .. });
    let feedback = if says_more { feedback_max(&package.limits).0 } else { 0 };
    let (program, output) = match problem.kind() {
        // Its files are the outputs.
        Kind::Answers => (0, 0),
        _ => (remains::SIZE_MAX.0, package.limits.output.0),
    };
    let files: u64 = source.files.iter().map(|file| file.bytes.len() as u64).sum();
    let of_case = output.saturating_add(feedback);
    let at_once = CASES_AT_ONCE.saturating_mul(input.saturating_add(of_case));
    let kept = if problem.options.keep_outputs { of_case.saturating_mul(cases.len() as u64) } else { 0 };
    Bytes([files, program, at_once, kept].into_iter().fold(0, u64::saturating_add))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_judging_is_opened_when_there_is_room_or_when_it_is_the_only_one() {
        let all = OPEN_BYTES_PER_PLACE_MAX;
        let mut budget = MemoryBudget::default();
        assert!(budget.admits(Bytes(u64::MAX)), "the only one");
        budget.enter(Bytes(all.0 - 1));
        assert!(budget.admits(Bytes(1)));
        assert!(!budget.admits(Bytes(2)) && !budget.admits(Bytes(u64::MAX)));
        budget.leave(Bytes(all.0 - 1));
        for _ in 0..OPEN_PER_PLACE_MAX {
            assert!(budget.admits(Bytes(1)));
            budget.enter(Bytes(1));
        }
        assert!(!budget.admits(Bytes(1)), "that many are open");
        budget.leave(Bytes(1));
        assert!(budget.admits(Bytes(1)));
    }
}
