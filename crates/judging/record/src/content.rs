//! Compares a record with the packages that it names.

use crate::chain::next_line;
use crate::points::{Cases, NotComputed, PackagePoints, result_of};
use crate::{PackageFacts, RecordError};
use documents::{
    CaseRun, RecordBegin, RecordEntry, RecordFinding, RecordLine, RecordSubmission, RecordVerification,
};
use model::{ScoreRules, Verdict};
use std::collections::BTreeMap;
use std::io::BufRead;

#[derive(Clone, Debug, PartialEq)]
pub struct PackageContent {
    /// Where it is, for people.
    pub place: String,
    /// The hash of its content, computed as for the record.
    pub hash: String,
    /// What affects its judging.
    pub facts: PackageFacts,
    /// What its points follow from.
    pub points: PackagePoints,
}

/// Compares recorded packages with their present content, and what the record says of a package that is still the same
/// with that. `content` takes the recorded path, and returns the content, or a phrase why there is nothing to compare with;
/// `reader` reads the record once more.
pub fn compare_packages(
    verification: &mut RecordVerification,
    reader: impl BufRead,
    mut content: impl FnMut(&str) -> Result<PackageContent, String>,
) -> Result<(), RecordError> {
    let mut findings = Vec::new();
    let mut known = BTreeMap::new();
    for package in &mut verification.packages {
        let Some(recorded) = &package.hash else {
            package.detail = "not compared: no hash is recorded".to_owned();
            continue;
        };
        let PackageContent { place, hash, facts, points } = match content(&package.path) {
            Ok(content) => content,
            Err(why) => {
                package.detail = format!("not compared: {why}");
                continue;
            }
        };
        package.same = Some(hash == *recorded);
        package.detail = if hash == *recorded {
            known.insert(hash, (facts, points));
            format!("{place} has the recorded content")
        } else {
            findings.push(RecordFinding {
                line: package.line,
                message: format!("the package {place} has another content than when it was judged"),
            });
            format!("{place} has another content")
        };
    }
    let mut not_computed = BTreeMap::new();
    findings.extend(contradictions(reader, &verification.file, &known, &mut not_computed)?);
    verification.notes.extend(not_computed.into_iter().map(|(why, submissions)| why.note(submissions)));
    verification.findings.extend(findings);
    verification.holds = verification.findings.is_empty();
    Ok(())
}

/// Lists where the record says something else of a package than the package does, and counts the submissions whose points are
/// not computed again.
fn contradictions(
    mut reader: impl BufRead,
    file: &str,
    known: &BTreeMap<String, (PackageFacts, PackagePoints)>,
    not_computed: &mut BTreeMap<NotComputed, u64>,
) -> Result<Vec<RecordFinding>, RecordError> {
    let (mut findings, mut line) = (Vec::new(), 0);
    let mut judging: Option<Recorded<'_>> = None;
    loop {
        let failed = |source| RecordError::Read { file: file.to_owned(), line: line + 1, source };
        let Some(raw) = next_line(&mut reader).map_err(failed)? else { return Ok(findings) };
        line += 1;
        // A line that is damaged is a finding already.
        let Ok(RecordLine { entry, .. }) = documents::from_json(&String::from_utf8_lossy(&raw.bytes)) else {
            continue;
        };
        let found = match (entry, &mut judging) {
            (RecordEntry::Begin(begin), _) => {
                let content = begin.package.hash.as_ref().and_then(|hash| known.get(hash));
                // A team's record has neither the package's name nor those of its cases.
                let is_whole = !begin.package.name.is_empty();
                judging = content.filter(|_| is_whole).map(|content| Recorded::new(content, &begin));
                content.and_then(|(facts, _)| of_begin(facts, &begin))
            }
            (RecordEntry::Case(case), Some(judging)) => judging.case(&case.submission, &case.case),
            (RecordEntry::Submission(submission), Some(judging)) => {
                judging.submission(&submission, not_computed)
            }
            _ => None,
        };
        findings.extend(found.map(|message| RecordFinding { line, message }));
    }
}

fn of_begin(facts: &PackageFacts, begin: &RecordBegin) -> Option<String> {
    let facts = [
        ("is_graded", begin.is_graded, facts.is_graded),
        ("has_checks_between_runs", begin.has_checks_between_runs, facts.has_checks_between_runs),
    ];
    let (name, recorded, is) = facts.into_iter().find(|(_, recorded, is)| recorded != is)?;
    Some(format!("recorded is {name}: {recorded}, but of the package it is {is}"))
}

/// A judging of a known package.
struct Recorded<'f> {
    facts: &'f PackageFacts,
    /// Whether an accepted submission has every case.
    has_all: bool,
    points: &'f PackagePoints,
    /// By which rules points were computed, or why they are not computed again.
    rules: Result<ScoreRules, NotComputed>,
    /// The cases of each submission whose own line has not come.
    open: BTreeMap<String, Cases>,
}

impl<'f> Recorded<'f> {
    fn new((facts, points): &'f (PackageFacts, PackagePoints), begin: &RecordBegin) -> Self {
        let has_all = !facts.is_graded && !begin.is_selection;
        let rules = begin.package.scores.as_ref().map(|basis| basis.rules).ok_or(NotComputed::NoRules);
        let rules =
            rules.and_then(|rules| if begin.is_selection { Err(NotComputed::Selection) } else { Ok(rules) });
        Self { facts, has_all, points, rules, open: BTreeMap::new() }
    }

    fn case(&mut self, submission: &str, case: &CaseRun) -> Option<String> {
        let name = &case.case;
        if !self.facts.cases.contains(name) {
            let is_check = self.facts.checks.contains(name);
            return (!is_check).then(|| format!("{name} of {submission} is no case of the package"));
        }
        self.open.entry(submission.to_owned()).or_default().insert(name.clone(), result_of(case));
        None
    }

    fn submission(
        &mut self,
        recorded: &RecordSubmission,
        not_computed: &mut BTreeMap<NotComputed, u64>,
    ) -> Option<String> {
        let submission = &recorded.submission;
        let own = self.open.remove(&submission.name).unwrap_or_default();
        match self.points.contradiction(self.rules, submission, &own) {
            Ok(None) => {}
            Ok(by_points) => return by_points,
            Err(why) if submission.score.is_some() => *not_computed.entry(why).or_default() += 1,
            Err(_) => {}
        }
        if !self.has_all || submission.verdict.0 != Verdict::Accepted {
            return None;
        }
        let missing = self.facts.cases.iter().find(|case| !own.contains_key(*case))?;
        Some(format!("{}: it is accepted, but its run of {missing} is not recorded", submission.name))
    }
}
