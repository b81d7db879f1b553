//! Problem packages: what they say about a problem. Read by this process, which has no rights.

use crate::auth::Auth;
use crate::contest_package::BlobImporter;
use crate::package_files::{self, Hashing};
use crate::problem::with_causes;
use crate::wire::score;
use crate::{App, Problem, Shared};
use axum::http::StatusCode;
use contest_rules::{BlobHash, ProblemEntry, ProblemFiles, ProblemSettings};
use documents::contest::{ImportMessage, PackageReport};
use model::{Bytes, CaseKind, Nanos, ScoreRules};
use package::scoring::{Grading, best_score};
use package::{Package, PackageError, PackageOptions, TimeLimitRule};
use std::io::{Read, Write};
use store::StoredBlob;

const MIB: u64 = 1 << 20;
/// More is a sign of something else being wrong.
const WARNINGS_MAX: usize = 100;

pub fn report(app: &App, stored: &StoredBlob, name: &str) -> Result<PackageReport, Problem> {
    read(app, stored, name, None, |_, report, _| Ok(report))
}

pub struct ProblemPackage {
    /// What the package says about the problem.
    pub report: PackageReport,
    /// What people get of it.
    pub files: ProblemFiles,
    /// How many of its cases are samples.
    pub sample_count: u32,
}

impl ProblemPackage {
    /// Returns the settings that follow from it.
    pub fn settings(self, entry: &ProblemEntry) -> Result<ProblemSettings, Problem> {
        let Self { report, files, sample_count } = self;
        let package = BlobHash(report.package.into());
        Ok(ProblemSettings {
            name: report.name,
            uuid: report.uuid,
            time_limit: report.time_limit.and_then(Nanos::from_secs_f64),
            memory_limit: Bytes(report.memory_limit << 20),
            output_limit: Bytes(report.output_limit << 20),
            code_limit: Bytes(report.code_limit << 10),
            test_data_count: report.test_data_count,
            sample_count,
            max_score: report.max_score.map(|points| score("max_score", points)).transpose()?,
            scores: report.scores.map(|basis| basis.rules),
            files,
            ..ProblemSettings::new(entry.id.clone(), entry.label.clone(), entry.ordinal, package)
        })
    }
}

/// Reads a package that is stored, and stores what people get of it, on the adding account; in a dry run it only reads.
/// Points are computed by these rules, or by those that its files show.
pub async fn read_and_store(
    app: &Shared,
    auth: &Auth,
    stored: StoredBlob,
    name: String,
    (is_dry_run, scores): (bool, Option<ScoreRules>),
) -> Result<ProblemPackage, Problem> {
    let auth = auth.clone();
    app.blocking(move |app| {
        let importer = BlobImporter::new(app, &auth, is_dry_run)?;
        read(app, &stored, &name, scores, |package, report, md5| {
            let files = package_files::take(&importer, package, &name, md5)?;
            let samples = package.cases().into_iter().filter(|case| case.kind() == CaseKind::Sample);
            let sample_count = u32::try_from(samples.count()).unwrap_or(u32::MAX);
            Ok(ProblemPackage { report, files, sample_count })
        })
    })
    .await
}

/// Reads a package that is not stored, and returns what is odd in it.
pub fn check(
    app: &App,
    content: &mut dyn Read,
    name: &str,
    scores: Option<ScoreRules>,
) -> Result<Vec<ImportMessage>, Problem> {
    open(app, content, name, scores, |package, _, _| Ok(warnings(package)))
}

fn read<T>(
    app: &App,
    stored: &StoredBlob,
    name: &str,
    scores: Option<ScoreRules>,
    then: impl FnOnce(&Package, PackageReport, String) -> Result<T, Problem>,
) -> Result<T, Problem> {
    open(app, &mut app.blobs.get(&stored.hash, None)?, name, scores, |package, name, md5| {
        then(package, describe(package, stored, name), md5)
    })
}

fn open<T>(
    app: &App,
    content: &mut dyn Read,
    name: &str,
    scores: Option<ScoreRules>,
    then: impl FnOnce(&Package, &str, String) -> Result<T, Problem>,
) -> Result<T, Problem> {
    let room = tempfile::Builder::new().prefix("package-").tempdir_in(&app.config.temporary);
    let room = room.map_err(Problem::internal)?;
    let name = file_name(name);
    let archive = room.path().join(format!("{name}.zip"));
    let mut file = std::fs::File::create(&archive).map_err(Problem::internal)?;
    let mut content = Hashing::new(content);
    std::io::copy(&mut content, &mut file).map_err(Problem::internal)?;
    file.flush().map_err(Problem::internal)?;
    let scratch = room.path().join("unpacked");
    std::fs::create_dir(&scratch).map_err(Problem::internal)?;
    let options = PackageOptions { scores, ..PackageOptions::default() };
    let package = Package::open_with(&archive, &scratch, &options, &|| false);
    let package = package.map_err(|error| refused(&error))?;
    then(&package, &name, content.md5())
}

fn refused(error: &PackageError) -> Problem {
    let detail = format!("this is no problem package: {}", with_causes(error));
    Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "package", detail)
}

/// Returns a name for a file and an id, from a text of a request.
fn file_name(name: &str) -> String {
    let name = name.rsplit(['/', '\\']).next().unwrap_or("");
    let name = name.strip_suffix(".zip").unwrap_or(name);
    let name: String =
        name.chars().filter(|c| c.is_ascii_alphanumeric() || "_.-".contains(*c)).take(36).collect();
    let name = name.trim_start_matches(['-', '.']).trim_end_matches('.');
    if name.is_empty() { "problem".to_owned() } else { name.to_owned() }
}

fn warnings(package: &Package) -> Vec<ImportMessage> {
    let warnings = package.warnings.iter().take(WARNINGS_MAX).map(|warning| ImportMessage {
        file: Some(warning.wrong.place.file.clone()),
        line: warning.wrong.place.line.and_then(|line| u32::try_from(line).ok()),
        message: match &warning.wrong.place.field {
            Some(field) => format!("{field}: {}; {}", warning.wrong.problem, warning.wrong.remedy),
            None => format!("{}; {}", warning.wrong.problem, warning.wrong.remedy),
        },
    });
    warnings.collect()
}

fn describe(package: &Package, stored: &StoredBlob, name: &str) -> PackageReport {
    let title = package.names.get("en").or_else(|| package.names.values().next());
    let time_limit = match &package.time_limit {
        TimeLimitRule::Given { limit, .. } => Some(limit.as_secs_f64()),
        TimeLimitRule::Derive { .. } => None,
    };
    let cases = package.data.all_cases().len();
    PackageReport {
        package: stored.hash.to_string(),
        size_bytes: stored.size_bytes,
        uuid: package.uuid.clone().filter(|uuid| is_uuid(uuid)),
        suggested_id: name.to_owned(),
        name: title.cloned().unwrap_or_else(|| name.to_owned()),
        time_limit,
        memory_limit: package.limits.memory.0.div_ceil(MIB),
        output_limit: package.limits.output.0.div_ceil(MIB),
        code_limit: package.limits.code.0.div_ceil(1024),
        test_data_count: u32::try_from(cases).unwrap_or(u32::MAX),
        max_score: max_score(package),
        scores: package
            .scores
            .as_ref()
            .map(|scores| documents::ScoreBasis { rules: scores.rules, reason: Some(scores.reason.clone()) }),
        warnings: warnings(package),
    }
}

/// Returns whether it is written as UUIDs are; placeholders are not.
fn is_uuid(text: &str) -> bool {
    let parts: Vec<usize> = text.split('-').map(str::len).collect();
    parts == [8, 4, 4, 4, 12] && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

/// Returns the highest score, if the problem has points and the package limits them.
fn max_score(package: &Package) -> Option<f64> {
    if !package.kind.scoring {
        return None;
    }
    match &package.data.grading {
        Grading::Legacy(grading) => {
            let best = if grading.minimise { grading.range.0 } else { grading.range.1 };
            Some(best).filter(|best| best.is_finite())
        }
        Grading::Aggregate(_) => match &package.data.find("secret")?.grading {
            Grading::Aggregate(grading) => grading.max_score,
            Grading::Legacy(_) | Grading::Domjudge(_) => None,
        },
        Grading::Domjudge(_) => best_score(&package.data),
    }
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn a_name_is_an_id() {
        for (name, expect) in [
            ("hello.zip", "hello"),
            ("C:\\packages\\a b.zip", "ab"),
            ("../../etc/passwd", "passwd"),
            ("-..", "problem"),
            ("", "problem"),
        ] {
            assert_eq!(file_name(name), expect);
        }
    }
}
