//! Counts side by side: of two commands, or of the same commands in two files.

use super::text;
use anyhow::Context;
use documents::{
    BenchCountsComparisonReport, BenchCountsReport, ChangedFunction, CountedComparison, CountedResult,
};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use terminal::failure::{NegativeAnswer, because, input};
use terminal::print_result;

/// Returns whether a file is a result by counted instructions.
pub fn is_result(text: &str) -> bool {
    documents::from_json::<BenchCountsReport>(text).is_ok()
}

pub fn compare_files(
    files: [(&Path, &str); 2],
    fail_above: Option<f64>,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let [first, second] = files.map(|(path, text)| {
        documents::from_json::<BenchCountsReport>(text).with_context(|| {
            because(format!("{} is not a result of tauto bench; make one with --export-json", path.display()))
        })
    });
    let (first, second) = (first?, second?);
    let paths = files.map(|(path, _)| path.display().to_string());
    let ways = [&first, &second].map(|report| (report.counter.clone(), report.model));
    if ways[0] != ways[1] {
        return Err(input(format!(
            "{} was counted by {}, and {} by {}: their counts mean different things",
            paths[0],
            text::counter(&first),
            paths[1],
            text::counter(&second)
        )));
    }
    if first.results.len() != second.results.len() {
        return Err(input(format!(
            "{} has {} commands and {} has {}; they are compared in their order",
            paths[0],
            first.results.len(),
            paths[1],
            second.results.len()
        )));
    }
    let pairs = first.results.iter().zip(&second.results);
    let report = BenchCountsComparisonReport {
        files: paths,
        comparisons: pairs.map(|(one, other)| compare(one, other)).collect(),
    };
    print_result(&report, json, |report| text::comparison_of_files(report, &first, &second))?;
    check_increase(&report.comparisons, fail_above)
}

/// Compares a command with the one that is the reference.
pub fn compare(reference: &CountedResult, other: &CountedResult) -> CountedComparison {
    let range = |result: &CountedResult| {
        (result.runs.iter().copied().min().unwrap_or(0), result.runs.iter().copied().max().unwrap_or(0))
    };
    let (before, after) = (range(reference), range(other));
    let is_equal = before == after && before.0 == before.1;
    CountedComparison {
        command: other.letter.clone(),
        ratio: other.count as f64 / reference.count.max(1) as f64,
        exact: is_equal || before.1 < after.0 || after.1 < before.0,
        functions: changed(reference, other),
    }
}

/// Returns the functions that differ, the greatest difference first.
fn changed(reference: &CountedResult, other: &CountedResult) -> Vec<ChangedFunction> {
    let mut counts: BTreeMap<(Option<&str>, Option<&str>), [u64; 2]> = BTreeMap::new();
    for (at, result) in [reference, other].into_iter().enumerate() {
        for function in &result.functions {
            // The files of two versions have different names; what they call has one.
            let own = result.argv.first().map(|program| Path::new(program).file_name());
            let is_own = function.file.as_deref().map(|file| Path::new(file).file_name()) == own;
            let file = if is_own { None } else { function.file.as_deref() };
            let count = &mut counts.entry((function.name.as_deref(), file)).or_default()[at];
            *count = count.saturating_add(function.count);
        }
    }
    let mut functions: Vec<ChangedFunction> = counts
        .into_iter()
        .filter(|(_, [before, after])| before != after)
        .map(|((name, file), [before, after])| ChangedFunction {
            name: name.map(str::to_owned),
            file: file.map(str::to_owned),
            before,
            after,
        })
        .collect();
    functions.sort_by_key(|function| std::cmp::Reverse(function.before.abs_diff(function.after)));
    functions
}

/// Fails if a count is above the one that it is compared with by more than this percentage.
pub fn check_increase(
    comparisons: &[CountedComparison],
    fail_above: Option<f64>,
) -> anyhow::Result<ExitCode> {
    let Some(percent) = fail_above else { return Ok(ExitCode::SUCCESS) };
    let most = 1.0 + percent / 100.0;
    let above = |comparison: &&CountedComparison| comparison.ratio > most;
    match comparisons.iter().find(above) {
        None => Ok(ExitCode::SUCCESS),
        Some(comparison) => Err(NegativeAnswer {
            message: format!(
                "{} counts {:.3} % more, and --fail-above {percent} % allows no more than that",
                comparison.command,
                (comparison.ratio - 1.0) * 100.0
            ),
            hint: None,
        }
        .into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use documents::CountedFunction;

    fn result(program: &str, runs: &[u64], functions: &[(&str, Option<&str>, u64)]) -> CountedResult {
        let functions = functions.iter().map(|(name, file, count)| CountedFunction {
            name: Some((*name).to_owned()),
            file: file.map_or_else(|| Some(format!("/program/{program}")), |file| Some(file.to_owned())),
            count: *count,
        });
        CountedResult {
            letter: program.to_uppercase(),
            command: format!("./{program}"),
            argv: vec![format!("./{program}")],
            parameters: BTreeMap::new(),
            count: runs.iter().copied().min().unwrap(),
            runs: runs.to_vec(),
            exit_codes: vec![Some(0); runs.len()],
            instructions: runs[0],
            misses: None,
            functions: functions.collect(),
        }
    }

    #[test]
    fn functions_of_two_versions_are_compared_by_name() {
        let libc = Some("/usr/lib/libc.so.6");
        let old = result("a", &[120, 120], &[("sort", None, 80), ("main", None, 20), ("memcpy", libc, 20)]);
        let new = result("b", &[90, 90], &[("sort", None, 40), ("main", None, 20), ("memcpy", libc, 30)]);
        let found = compare(&old, &new);
        assert_eq!((found.command.as_str(), found.ratio, found.exact), ("B", 0.75, true));
        let changes: Vec<_> =
            found.functions.iter().map(|f| (f.name.as_deref().unwrap(), f.before, f.after)).collect();
        assert_eq!(changes, [("sort", 80, 40), ("memcpy", 20, 30)]);
    }

    #[test]
    fn counts_that_overlap_show_no_difference() {
        let exact = |before: &[u64], after: &[u64]| {
            compare(&result("a", before, &[]), &result("b", after, &[])).exact
        };
        assert!(exact(&[5, 5], &[5, 5]) && exact(&[5, 6], &[7, 9]) && exact(&[7, 9], &[5, 6]));
        assert!(!exact(&[5, 7], &[6, 8]) && !exact(&[5, 6], &[5, 6]));
    }

    #[test]
    fn what_became_slower_fails() {
        let found = [compare(&result("a", &[1000], &[]), &result("b", &[1020], &[]))];
        assert!(check_increase(&found, None).is_ok() && check_increase(&found, Some(2.0)).is_ok());
        let error = check_increase(&found, Some(1.9)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "B counts 2.000 % more, and --fail-above 1.9 % allows no more than that"
        );
    }
}
