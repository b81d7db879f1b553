//! How a contest goes, in numbers.

use super::{reltime, seconds};
use contest_rules::view::{AnalysisView, Counts, LanguageAnalysis, PARTS_OF_LIMIT, ProblemAnalysis};
use documents::contest as wire;
use std::collections::BTreeMap;

/// Returns how a contest goes, for the wire.
pub fn wire_analysis(analysis: &AnalysisView<'_>) -> wire::Analysis {
    wire::Analysis {
        step: reltime(analysis.step),
        submissions: analysis.counts.submissions,
        pending: analysis.counts.pending,
        verdicts: verdicts(&analysis.counts),
        teams: analysis.teams,
        teams_tried: analysis.teams_tried,
        teams_solved: analysis.teams_solved,
        problems: analysis.problems.iter().map(wire_problem_analysis).collect(),
        languages: analysis.languages.iter().map(wire_language_analysis).collect(),
    }
}

fn verdicts(counts: &Counts) -> BTreeMap<String, u32> {
    counts.verdicts.iter().map(|(verdict, count)| ((*verdict).to_owned(), *count)).collect()
}

fn wire_problem_analysis(problem: &ProblemAnalysis<'_>) -> wire::ProblemAnalysis {
    let run_times = problem.time_limit.map(|_| wire::RunTimes {
        step: 1.0 / PARTS_OF_LIMIT as f64,
        accepted: problem.accepted_times.clone(),
        others: problem.other_times.clone(),
    });
    wire::ProblemAnalysis {
        problem_id: problem.problem.to_string(),
        submissions: problem.counts.submissions,
        pending: problem.counts.pending,
        verdicts: verdicts(&problem.counts),
        teams_tried: problem.teams_tried,
        teams_solved: problem.teams_solved,
        first_solve: problem.first.map(|first| wire::FirstSolve {
            team_id: first.team.to_string(),
            submission_id: first.submission.to_string(),
            contest_time: reltime(first.contest_time),
        }),
        attempts: problem.attempts.clone(),
        sent: problem.sent.clone(),
        solved: problem.solved.clone(),
        time_limit: problem.time_limit.map(seconds),
        run_times,
    }
}

fn wire_language_analysis(language: &LanguageAnalysis<'_>) -> wire::LanguageAnalysis {
    wire::LanguageAnalysis {
        language_id: language.language.to_string(),
        submissions: language.counts.submissions,
        pending: language.counts.pending,
        verdicts: verdicts(&language.counts),
        teams: language.teams,
    }
}
