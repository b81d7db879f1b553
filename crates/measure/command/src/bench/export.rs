//! Tables for other programs, with the columns of hyperfine's exports.

use super::failed::failures;
use documents::{BenchCountsReport, BenchReport, BenchResult};
use plot::Unit;

/// Writes a table with commas, times in seconds of wall time.
pub fn csv(report: &BenchReport) -> String {
    let mut columns: Vec<String> =
        ["command", "mean", "stddev", "median", "user", "system", "min", "max"].map(str::to_owned).to_vec();
    let parameters: Vec<&String> =
        report.results.first().map(|result| result.parameters.keys().collect()).unwrap_or_default();
    columns.extend(parameters.iter().map(|name| field(&format!("parameter_{name}"))));
    let mut text = columns.join(",") + "\n";
    for result in &report.results {
        let known = |time: Option<f64>| time.map_or_else(String::new, |time| time.to_string());
        let mut fields = vec![
            field(&result.command),
            result.mean.to_string(),
            known(result.stddev),
            result.median.to_string(),
            known(result.user),
            known(result.system),
            result.min.to_string(),
            result.max.to_string(),
        ];
        fields.extend(
            parameters.iter().map(|name| field(result.parameters.get(*name).map_or("", String::as_str))),
        );
        text.push_str(&(fields.join(",") + "\n"));
    }
    text
}

/// Writes a table of counts with commas.
pub fn counts_csv(report: &BenchCountsReport) -> String {
    let mut text =
        "command,count,highest,runs,instructions,first_level_misses,last_level_misses\n".to_owned();
    for result in &report.results {
        let misses = result.misses.map_or([String::new(), String::new()], |misses| {
            [misses.first_instructions + misses.first_data, misses.last].map(|count| count.to_string())
        });
        let highest = result.runs.iter().max().unwrap_or(&result.count);
        let [first, last] = misses;
        text.push_str(&format!(
            "{},{},{highest},{},{},{first},{last}\n",
            field(&result.command),
            result.count,
            result.runs.len(),
            result.instructions
        ));
    }
    text
}

/// Quotes a field where it has to be (RFC 4180).
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// Writes a Markdown table of wall times, relative to the reference.
pub fn markdown(report: &BenchReport) -> String {
    let reference = report.tautochrone.compared_with.as_deref();
    let is_reference = |result: &&BenchResult| Some(result.tautochrone.letter.as_str()) == reference;
    let Some(reference) = report.results.iter().find(is_reference).or(report.results.first()) else {
        return String::new();
    };
    let unit = Unit::fitting(Unit::TIME_NS, reference.mean * 1e9);
    let decimals = if unit.name == "s" { 3 } else { 1 };
    let time = |seconds: f64| format!("{:.decimals$}", seconds * 1e9 / unit.size);
    let name = unit.name;
    let mut text = format!("| Command | Mean [{name}] | Min [{name}] | Max [{name}] | Relative |\n");
    text.push_str("|:---|---:|---:|---:|---:|\n");
    for result in &report.results {
        let deviation = result.stddev.map_or_else(String::new, |deviation| format!(" ± {}", time(deviation)));
        text.push_str(&format!(
            "| {} | {}{deviation} | {} | {} | {} |\n",
            code_span(&result.command),
            time(result.mean),
            time(result.min),
            time(result.max),
            relative(result, reference)
        ));
    }
    text
}

/// Writes a text as a code span in a table: between more backticks than it has in a row (CommonMark 6.1).
fn code_span(text: &str) -> String {
    let text = text.replace('|', "\\|").replace(['\n', '\r'], " ");
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    // One blank at each end is not shown; it keeps a backtick there apart from the fence.
    let blank = if longest > 0 { " " } else { "" };
    format!("{fence}{blank}{text}{blank}{fence}")
}

/// Returns the ratio of the means and its standard deviation, by propagation as in hyperfine; or which runs failed, since
/// these did other work.
fn relative(result: &BenchResult, reference: &BenchResult) -> String {
    if result.tautochrone.letter == reference.tautochrone.letter {
        return "1.00".to_owned();
    }
    if let Some(failed) = failures(result) {
        return failed;
    }
    if failures(reference).is_some() {
        return "-".to_owned();
    }
    let ratio = result.mean / reference.mean;
    match (result.stddev, reference.stddev) {
        (Some(of), Some(reference_of)) => {
            let deviation = ratio * (of / result.mean).hypot(reference_of / reference.mean);
            format!("{ratio:.2} ± {deviation:.2}")
        }
        _ => format!("{ratio:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backticks_do_not_end_a_code_span() {
        assert_eq!(code_span("ls -l"), "`ls -l`");
        assert_eq!(code_span("a | b"), "`a \\| b`");
        assert_eq!(code_span("echo `date`"), "`` echo `date` ``");
        assert_eq!(code_span("``x`"), "``` ``x` ```");
    }
}
