//! What a package that can be judged lacks for a contest.

use package::Package;

pub fn advice(package: &Package) -> Vec<String> {
    let cases = package.cases();
    let has_cases = |folder: &str| cases.iter().any(|case| case.name.starts_with(folder));
    let accepted = package.submissions.iter().filter(|jury| jury.name.starts_with("accepted/")).count();
    let others = package.submissions.len() - accepted;
    [
        (package.statements.is_empty(), "there is no statement; teams need statement/problem.en.md or a PDF"),
        (!has_cases("sample/"), "there is no sample; data/sample shows teams the format"),
        (!has_cases("secret/"), "there is no secret test data; data/secret decides"),
        (accepted == 0, "there is no submission in submissions/accepted, which would show that the answers are right"),
        (others == 0, "all submissions are accepted; one in submissions/wrong_answer would show that the data finds mistakes"),
    ]
    .into_iter()
    .filter(|(is_missing, _)| *is_missing)
    .map(|(_, words)| words.to_owned())
    .collect()
}
