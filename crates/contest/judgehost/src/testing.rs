//! Made-up jobs for tests.

use documents::judgehost::{BlobRef, Job, JobCases, JobLimits, JobMode};

/// Returns a job for a package that is named by a letter.
pub fn job(package: &str, number: u32) -> Job {
    Job {
        job: format!("demo/{number}-1"),
        fence: u64::from(number),
        contest: "demo".to_owned(),
        judgement: format!("{number}-1"),
        problem: package.to_owned(),
        package: BlobRef { hash: package.repeat(64), size_bytes: 1000 },
        limits: JobLimits::default(),
        language: Some("c".to_owned()),
        entry_point: None,
        files: Vec::new(),
        mode: JobMode::Strict,
        cases: JobCases::Lazy,
        scores: None,
    }
}
