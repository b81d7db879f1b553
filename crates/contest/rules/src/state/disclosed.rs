//! What others than the jury learn of a judgement besides its verdict and score: the one place that decides it. Views show no
//! more, and there are notices of nothing else.

use super::{Contest, Submission};
use crate::Feedback;
use model::Verdict;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Disclosed {
    /// Its runs as they are judged, and their record.
    pub runs: bool,
    /// The highest time of a case.
    pub run_time: bool,
    pub compiler_output: bool,
}

impl Disclosed {
    pub const ALL: Self = Self { runs: true, run_time: true, compiler_output: true };
}

impl Contest {
    /// Returns what others than the jury learn of a submission's current judgement besides its verdict and score.
    pub fn disclosed(&self, submission: &Submission) -> Disclosed {
        let (settings, verdict) = (&self.settings, self.result(submission).map(|result| result.verdict.0));
        let shows_cases = settings.feedback == Feedback::Cases;
        Disclosed {
            runs: shows_cases && self.has_lasting_runs(submission),
            run_time: shows_cases || verdict == Some(Verdict::TimeLimitExceeded),
            compiler_output: settings.shows_compiler_output
                && (shows_cases || verdict == Some(Verdict::CompileError)),
        }
    }

    /// Returns how many runs of a submission's current judgement others than the jury may see: until the jury has decided, only
    /// those before the first about which it decides.
    pub fn shown_runs(&self, submission: &Submission) -> usize {
        let Some(current) = submission.current().filter(|_| self.disclosed(submission).runs) else {
            return 0;
        };
        let until = current.runs.iter().position(|run| run.for_jury);
        until.filter(|_| self.result(submission).is_none()).unwrap_or(current.runs.len())
    }

    /// Returns whether the runs of a submission's current judgement will not be replaced.
    fn has_lasting_runs(&self, submission: &Submission) -> bool {
        let Some(current) = submission.current() else { return false };
        let settings = &self.settings;
        let is_final_place =
            current.pool == settings.strict_pool && settings.replicas <= 1 && !settings.verification_required;
        submission.overridden.is_none() && (is_final_place || self.result(submission).is_some())
    }
}
