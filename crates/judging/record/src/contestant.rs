//! The record of a judgement as its contestant may have it: all times and evidence, nothing of the test data or of the jury.
//!
//! Every field is named, so that a new one does not compile before somebody has decided about it.

use crate::chain::next_line;
use crate::{Chain, RecordError};
use documents::{
    CaseRun, GroupResult, Package, RecordBegin, RecordCase, RecordEnd, RecordEntry, RecordLine,
    RecordSubmission, ScoreBasis, Submission, TimeLimit,
};
use std::io::BufRead;

/// Names of sample data begin with it; what is in it is known.
const SAMPLE: &str = "sample/";
/// Where the limit is from: a derived one names submissions of the jury.
const LIMIT_SOURCE: &str = "of the problem";
/// Why we failed, which can name test data.
const FAILED: &str = "the judging failed; the jury knows why";

/// Returns a record without what tells of test data or of the jury: names of cases, answers, outputs, messages for the jury, its
/// submissions. Its lines are linked anew, so it verifies as the whole one does.
pub fn for_contestant(mut reader: impl BufRead, file: &str) -> Result<Vec<u8>, RecordError> {
    let (mut chain, mut bytes) = (Chain::default(), Vec::new());
    let (mut is_graded, mut line) = (false, 0);
    let failed = |line, source| RecordError::Read { file: file.to_owned(), line, source };
    while let Some(raw) = next_line(&mut reader).map_err(|source| failed(line + 1, source))? {
        line += 1;
        let read = documents::from_json::<RecordLine>(&String::from_utf8_lossy(&raw.bytes))
            .map_err(|error| failed(line, std::io::Error::other(error)))?;
        let entry = match read.entry {
            RecordEntry::Begin(whole) => {
                is_graded = whole.is_graded;
                RecordEntry::Begin(Box::new(begin(*whole)))
            }
            RecordEntry::Case(whole) => RecordEntry::Case(Box::new(case(*whole, is_graded, line))),
            RecordEntry::Submission(whole) => {
                RecordEntry::Submission(Box::new(submission(*whole, is_graded)))
            }
            RecordEntry::LeftOut(_) => continue,
            RecordEntry::End(RecordEnd { submissions, cases, not_judged: _ }) => {
                RecordEntry::End(RecordEnd { submissions, cases, not_judged: Vec::new() })
            }
        };
        bytes.extend(chain.line(entry));
    }
    Ok(bytes)
}

fn begin(whole: RecordBegin) -> RecordBegin {
    let RecordBegin {
        tauto_version,
        began_at,
        arguments: _,
        package: Package { name: _, title, format, path: _, hash, scores },
        is_graded,
        has_checks_between_runs,
        case_count,
        is_selection,
        machine,
        kernel_options,
        timed_cpus,
        helper_cpus,
        time_limit: TimeLimit { value_ns, kill_limit_ns, source: _, derivation: _, reused, stored_in: _ },
        memory_limit_bytes,
        rule,
        not_judged: _,
        unavailable,
    } = whole;
    RecordBegin {
        tauto_version,
        began_at,
        arguments: Vec::new(),
        // Its short name can be another one than teams know, and tell how to solve it.
        package: Package {
            name: String::new(),
            title,
            format,
            path: String::new(),
            hash,
            scores: scores.map(|basis| ScoreBasis { reason: None, ..basis }),
        },
        is_graded,
        has_checks_between_runs,
        case_count,
        is_selection,
        machine,
        kernel_options,
        timed_cpus,
        helper_cpus,
        time_limit: TimeLimit {
            value_ns,
            kill_limit_ns,
            source: LIMIT_SOURCE.to_owned(),
            derivation: None,
            reused,
            stored_in: None,
        },
        memory_limit_bytes,
        rule,
        not_judged: Vec::new(),
        unavailable,
    }
}

fn case(whole: RecordCase, is_graded: bool, line: u64) -> RecordCase {
    let RecordCase {
        submission,
        ordinal,
        // A program can print its input.
        output_start: _,
        case,
        runs,
        earlier_passes,
        ruling,
        passes,
        run_again,
        judging_error,
    } = whole;
    let number = ordinal.map_or_else(|| format!("done-{line}"), |ordinal| ordinal.to_string());
    RecordCase {
        submission,
        ordinal,
        output_start: None,
        case: case_run(case, is_graded, &number),
        runs,
        earlier_passes,
        ruling,
        passes,
        run_again,
        judging_error: judging_error.map(|_| FAILED.to_owned()),
    }
}

/// The name becomes the case's number, which contestants see of their runs, or its line in the record where that is not known.
fn case_run(whole: CaseRun, is_graded: bool, number: &str) -> CaseRun {
    let CaseRun {
        case,
        verdict,
        cpu_time_ns,
        wall_time_ns,
        memory_peak_bytes,
        end,
        evidence,
        score,
        judge_message: _,
        team_message,
        first_difference,
        nondeterministic,
        // A program can print its input.
        stderr_excerpt: _,
        other_outputs: _,
        accepted_output: _,
        repeats,
        run_again,
        unavailable,
    } = whole;
    let is_sample = case.starts_with(SAMPLE);
    let name = match case.rsplit_once('/') {
        _ if is_sample => case,
        Some((group, _)) => format!("{}/{number}", known_group(group, is_graded)),
        None => number.to_owned(),
    };
    CaseRun {
        case: name,
        verdict,
        cpu_time_ns,
        wall_time_ns,
        memory_peak_bytes,
        end,
        evidence,
        score,
        judge_message: None,
        team_message,
        stderr_excerpt: None,
        first_difference: first_difference.filter(|_| is_sample),
        nondeterministic,
        other_outputs: Vec::new(),
        accepted_output: None,
        repeats,
        run_again,
        unavailable,
    }
}

/// Returns how much of a group's name contestants know: that of the subtask where there are points, and only which folder it is elsewhere.
fn known_group(group: &str, is_graded: bool) -> &str {
    let depth = if is_graded { 2 } else { 1 };
    let end = group.match_indices('/').map(|(at, _)| at).nth(depth - 1);
    &group[..end.unwrap_or(group.len())]
}

fn submission(whole: RecordSubmission, is_graded: bool) -> RecordSubmission {
    let RecordSubmission { submission, source_hash, program_hash, best_score, judging_error } = whole;
    let Submission {
        name,
        language,
        expected: _,
        verdict,
        caveats,
        as_expected: _,
        expectation_message: _,
        score,
        compile,
        runs: _,
        slowest: _,
        groups,
        // It names test data.
        jury_decides: _,
        warnings: _,
        explanation: _,
    } = submission;
    let is_known = |group: &GroupResult| known_group(&group.name, is_graded) == group.name;
    RecordSubmission {
        submission: Submission {
            name,
            language,
            expected: Vec::new(),
            verdict,
            caveats,
            as_expected: None,
            expectation_message: None,
            score,
            compile,
            runs: Vec::new(),
            slowest: None,
            groups: groups.into_iter().filter(is_known).collect(),
            jury_decides: Vec::new(),
            warnings: Vec::new(),
            explanation: Vec::new(),
        },
        source_hash,
        program_hash,
        best_score,
        judging_error: judging_error.map(|_| FAILED.to_owned()),
    }
}
