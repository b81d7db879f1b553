//! The record of a judgement as its contestant may have it: all times and evidence, nothing of the test data or of the jury.
//!
//! Every field is named, so that a new one does not compile before it is decided whether contestants may see it.

use crate::chain::next_line;
use crate::{Chain, RecordError};
use documents::{
    CaseRun, Package, RecordBegin, RecordCase, RecordEnd, RecordEntry, RecordLine, RecordSubmission,
    ScoreBasis, Submission, TimeLimit,
};
use std::io::BufRead;

/// Names of sample data begin with it; what is in it is known.
const SAMPLE: &str = "sample/";
/// Where the limit is from: a derived one names submissions of the jury.
const LIMIT_SOURCE: &str = "of the problem";
/// Why we failed, which can name test data.
const FAILED: &str = "the judging failed; the jury knows why";

/// Returns a record without what reveals test data or of the jury: names of cases, answers, outputs, messages for the jury, its
/// submissions. Its lines are linked anew, so it verifies as the whole one does.
pub fn for_contestant(mut reader: impl BufRead, file: &str) -> Result<Vec<u8>, RecordError> {
    let (mut chain, mut bytes) = (Chain::default(), Vec::new());
    let (mut is_graded, mut line) = (false, 0);
    let failed = |line, source| RecordError::Read { file: file.to_owned(), line, source };
    while let Some(raw) = next_line(&mut reader).map_err(|source| failed(line + 1, source))? {
        line += 1;
        let read = documents::from_json::<RecordLine>(&String::from_utf8_lossy(&raw.bytes))
            .map_err(|error| failed(line, std::io::Error::other(error)))?;
        let mut entry = read.entry;
        match &mut entry {
            RecordEntry::Begin(begin) => {
                is_graded = begin.is_graded;
                hide_in_begin(begin);
            }
            RecordEntry::Case(case) => hide_in_case(case, is_graded, line),
            RecordEntry::Submission(submission) => hide_in_submission(submission, is_graded),
            RecordEntry::LeftOut(_) => continue,
            RecordEntry::End(RecordEnd { submissions: _, cases: _, not_judged }) => not_judged.clear(),
        }
        bytes.extend(chain.line(entry));
    }
    Ok(bytes)
}

fn hide_in_begin(begin: &mut RecordBegin) {
    let RecordBegin {
        tauto_version: _,
        began_at: _,
        arguments,
        // Its short name can be another one than teams know, and tell how to solve it.
        package: Package { name, title: _, format: _, path, hash: _, scores },
        is_graded: _,
        has_checks_between_runs: _,
        case_count: _,
        is_selection: _,
        machine: _,
        kernel_options: _,
        timed_cpus: _,
        helper_cpus: _,
        image: _,
        time_limit:
            TimeLimit {
                value_ns: _,
                kill_limit_ns: _,
                clock: _,
                counter: _,
                source,
                derivation,
                reused: _,
                stored_in,
            },
        memory_limit_bytes: _,
        rule: _,
        not_judged,
        unavailable: _,
    } = begin;
    arguments.clear();
    name.clear();
    path.clear();
    if let Some(ScoreBasis { rules: _, reason }) = scores {
        *reason = None;
    }
    LIMIT_SOURCE.clone_into(source);
    (*derivation, *stored_in) = (None, None);
    not_judged.clear();
}

fn hide_in_case(case: &mut RecordCase, is_graded: bool, line: u64) {
    let RecordCase {
        submission: _,
        ordinal,
        // A program can print its input.
        output_start,
        case,
        runs: _,
        earlier_passes: _,
        ruling: _,
        passes: _,
        run_again: _,
        judging_error,
    } = case;
    *output_start = None;
    let number = ordinal.map_or_else(|| format!("done-{line}"), |ordinal| ordinal.to_string());
    hide_in_run(case, is_graded, &number);
    hide_reason(judging_error);
}

fn hide_reason(judging_error: &mut Option<String>) {
    if let Some(why) = judging_error {
        FAILED.clone_into(why);
    }
}

/// The name becomes the case's number, which contestants see of their runs, or its line in the record where that is not known.
fn hide_in_run(run: &mut CaseRun, is_graded: bool, number: &str) {
    let CaseRun {
        case,
        verdict: _,
        cpu_time_ns: _,
        wall_time_ns: _,
        instructions: _,
        memory_peak_bytes: _,
        end: _,
        evidence: _,
        score: _,
        judge_message,
        team_message: _,
        first_difference,
        nondeterministic: _,
        // A program can print its input.
        stderr_excerpt,
        other_outputs,
        accepted_output,
        repeats: _,
        run_again: _,
        unavailable: _,
    } = run;
    if !case.starts_with(SAMPLE) {
        *case = match case.rsplit_once('/') {
            Some((group, _)) => format!("{}/{number}", known_group(group, is_graded)),
            None => number.to_owned(),
        };
        *first_difference = None;
    }
    (*judge_message, *stderr_excerpt, *accepted_output) = (None, None, None);
    other_outputs.clear();
}

/// Returns how much of a group's name contestants know: that of the subtask where there are points, and only which folder it is elsewhere.
fn known_group(group: &str, is_graded: bool) -> &str {
    let depth = if is_graded { 2 } else { 1 };
    let end = group.match_indices('/').map(|(at, _)| at).nth(depth - 1);
    &group[..end.unwrap_or(group.len())]
}

fn hide_in_submission(recorded: &mut RecordSubmission, is_graded: bool) {
    let RecordSubmission { submission, source_hash: _, program_hash: _, best_score: _, judging_error } =
        recorded;
    let Submission {
        name: _,
        language: _,
        count_spread_percent: _,
        expected,
        verdict: _,
        caveats: _,
        as_expected,
        expectation_message,
        score: _,
        compile: _,
        runs,
        slowest,
        groups,
        // It names test data.
        jury_decides,
        warnings,
        explanation,
    } = submission;
    (*as_expected, *expectation_message, *slowest) = (None, None, None);
    expected.clear();
    runs.clear();
    groups.retain(|group| known_group(&group.name, is_graded) == group.name);
    for texts in [jury_decides, warnings, explanation] {
        texts.clear();
    }
    hide_reason(judging_error);
}
