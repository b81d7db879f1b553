//! What happened in a contest, from the objects of its package.

use super::extra::Extra;
use super::objects::{ClarificationIn, JudgementIn, Objects, RunIn, SubmissionIn};
use contest_rules::{
    Clarification, ClarificationNumber, Commentary, CommentaryNumber, Imported, ImportedJudgement,
    ImportedSubmission, Instant, Millis, Outcome, Run, Score, StoredVerdict, SubmissionNumber, Submitted,
    SubmittedFile,
};
use documents::contest::{ImportMessage, RelTime, Time};
use model::{Nanos, Verdict};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

/// What is read from the results of a package.
#[derive(Default)]
pub struct Results {
    /// In the order of the log.
    pub imported: Vec<Imported>,
    /// The numbers of submissions by their ids.
    pub numbers: BTreeMap<String, SubmissionNumber>,
    pub errors: Vec<ImportMessage>,
    pub warnings: Vec<ImportMessage>,
}

/// The verdicts of another system, and what ours they are.
pub struct Verdicts {
    types: BTreeMap<String, (bool, Option<bool>)>,
    /// Those that have no equal here.
    replaced: BTreeSet<(String, Verdict)>,
}

impl Verdicts {
    pub fn new(types: &[Value]) -> Self {
        let read = |one: &Value| {
            let solved = one["solved"].as_bool().unwrap_or(false);
            Some((one["id"].as_str()?.to_owned(), (solved, one["penalty"].as_bool())))
        };
        Self { types: types.iter().filter_map(read).collect(), replaced: BTreeSet::new() }
    }

    /// Returns whether a compile error costs penalty time; `None` if the types do not have it.
    pub fn compile_penalty(&self) -> Option<bool> {
        self.types.get("CE").and_then(|(_, penalty)| *penalty)
    }

    fn of(&mut self, id: &str) -> Verdict {
        let known = id.parse().ok().filter(|verdict: &Verdict| verdict.clics_id() == id);
        let verdict = known.unwrap_or_else(|| match id {
            "APE" => Verdict::Accepted,
            "CTL" => Verdict::CompileError,
            "JE" | "SE" | "CS" => Verdict::JudgingError,
            "ILE" | "TCO" | "TWA" | "TPE" | "TEO" | "TIO" | "TNO" => Verdict::TimeLimitExceeded,
            "SV" | "IF" | "RCO" | "RWA" | "RPE" | "REO" | "RIO" | "RNO" => Verdict::RunTimeError,
            _ => match self.types.get(id) {
                Some((true, _)) => Verdict::Accepted,
                Some((false, Some(false))) => Verdict::CompileError,
                _ => Verdict::WrongAnswer,
            },
        });
        if known.is_none() {
            self.replaced.insert((id.to_owned(), verdict));
        }
        verdict
    }
}

fn message(file: &str, id: &str, message: impl std::fmt::Display) -> ImportMessage {
    ImportMessage { file: Some(file.to_owned()), line: None, message: format!("'{id}': {message}") }
}

/// Orders ids as people do: numbers by their values.
fn natural(id: &str) -> (u64, String) {
    let digits = id.trim_start_matches(|c: char| !c.is_ascii_digit());
    (digits.parse().unwrap_or(u64::MAX), id.to_owned())
}

/// Returns results from objects. `sources` has the files of each submission, by its id.
pub fn read(
    objects: &Objects,
    extra: &Extra,
    start: Option<Instant>,
    mut sources: BTreeMap<String, Vec<SubmittedFile>>,
) -> Results {
    let mut results = Results::default();
    let mut verdicts = Verdicts::new(objects.of("judgement-types"));
    let at = |time: Option<Time>, contest_time: Option<RelTime>| {
        let from_start = || Some(start? + Millis(contest_time?.0));
        time.map(|time| Instant(time.0)).or_else(from_start)
    };
    let mut runs: BTreeMap<&str, Vec<&RunIn>> = BTreeMap::new();
    objects.runs.values().for_each(|run| runs.entry(run.judgement_id.as_str()).or_default().push(run));
    let mut judgements: BTreeMap<&str, Vec<&JudgementIn>> = BTreeMap::new();
    for judgement in objects.judgements.values() {
        if !objects.submissions.contains_key(&judgement.submission_id) {
            let text = format!("there is no submission '{}'", judgement.submission_id);
            results.errors.push(message("judgements", &judgement.id, text));
        }
        judgements.entry(judgement.submission_id.as_str()).or_default().push(judgement);
    }
    let mut ordered: Vec<(Instant, &SubmissionIn)> = Vec::new();
    for submission in objects.submissions.values() {
        match at(submission.time, submission.contest_time) {
            Some(time) => ordered.push((time, submission)),
            None => results.errors.push(message("submissions", &submission.id, "has no time")),
        }
    }
    ordered.sort_by_cached_key(|(time, submission)| (*time, natural(&submission.id)));
    for (number, (time, submission)) in (1..).zip(ordered) {
        let number = SubmissionNumber(number);
        results.numbers.insert(submission.id.clone(), number);
        let of_it = judgements.remove(submission.id.as_str()).unwrap_or_default();
        let mut reader =
            Reader { results: &mut results, verdicts: &mut verdicts, runs: &runs, extra, at: &at };
        let (judgements, current) = reader.judgements(submission, of_it);
        let Some(submitted) = reader.submitted(number, submission, sources.remove(&submission.id)) else {
            continue;
        };
        let entry = ImportedSubmission {
            submitted,
            account: submission.account_id.as_ref().and_then(|id| id.parse().ok()),
            foreign_id: Some(submission.id.clone()).filter(|id| *id != number.to_string()),
            time,
            ignored: submission.id.parse().ok().and_then(|id: u32| extra.ignored.get(&id).cloned()),
            judgements,
            current,
        };
        results.imported.push(Imported::Submission(Box::new(entry)));
    }
    clarifications(objects, &at, &mut results);
    commentary(objects, &at, &mut results);
    for (id, verdict) in &verdicts.replaced {
        let text = format!("is no verdict here, and counts as {verdict}");
        results.warnings.push(message("judgement-types", id, text));
    }
    results
}

struct Reader<'a, A> {
    results: &'a mut Results,
    verdicts: &'a mut Verdicts,
    runs: &'a BTreeMap<&'a str, Vec<&'a RunIn>>,
    extra: &'a Extra,
    at: &'a A,
}

impl<A: Fn(Option<Time>, Option<RelTime>) -> Option<Instant>> Reader<'_, A> {
    fn submitted(
        &mut self,
        number: SubmissionNumber,
        one: &SubmissionIn,
        files: Option<Vec<SubmittedFile>>,
    ) -> Option<Submitted> {
        fn id<T: FromStr<Err = contest_rules::IdError>>(
            results: &mut Results,
            one: &str,
            text: &str,
        ) -> Option<T> {
            text.parse().map_err(|error| results.errors.push(message("submissions", one, error))).ok()
        }
        let team = match &one.team_id {
            Some(team) => Some(id(self.results, &one.id, team)?),
            None => None,
        };
        Some(Submitted {
            number,
            team,
            problem: id(self.results, &one.id, &one.problem_id)?,
            language: id(self.results, &one.id, &one.language_id)?,
            entry_point: one.entry_point.clone(),
            files: files.unwrap_or_default(),
            time: None,
            account: None,
        })
    }

    /// Returns the judgements by their numbers, and which one counts.
    fn judgements(
        &mut self,
        submission: &SubmissionIn,
        mut of_it: Vec<&JudgementIn>,
    ) -> (Vec<Option<ImportedJudgement>>, u32) {
        // Ids of ours have their numbers; of others the times count.
        let own = |judgement: &JudgementIn| {
            let number = judgement.id.strip_prefix(&submission.id)?.strip_prefix('-')?;
            number.parse().ok().filter(|number: &u32| (1..=1000).contains(number))
        };
        let begun = |judgement: &JudgementIn| {
            let end = || (self.at)(judgement.end_time, judgement.end_contest_time);
            (self.at)(judgement.start_time, judgement.start_contest_time).or_else(end)
        };
        let is_own = of_it.iter().all(|judgement| own(judgement).is_some());
        of_it.sort_by_cached_key(|judgement| (begun(judgement), natural(&judgement.id)));
        let mut judgements: Vec<Option<ImportedJudgement>> = Vec::new();
        let mut current = 0;
        for (place, judgement) in (1..).zip(of_it) {
            let number = if is_own { own(judgement).unwrap_or(place) } else { place };
            if judgements.len() < number as usize {
                judgements.resize(number as usize, None);
            }
            let Some(begun) = begun(judgement) else {
                self.results.errors.push(message("judgements", &judgement.id, "has no start_time"));
                continue;
            };
            let Some(done) = self.judgement(judgement, begun) else { continue };
            judgements[number as usize - 1] = Some(done);
            if judgement.current != Some(false) && judgement.valid != Some(false) {
                current = number;
            }
        }
        (judgements, current)
    }

    fn judgement(&mut self, one: &JudgementIn, begun: Instant) -> Option<ImportedJudgement> {
        let id = one.judgement_type_id.as_ref().or(one.simplified_judgement_type_id.as_ref())?;
        let verdict = self.verdicts.of(id);
        let score = |points: f64| Score((points * 1e6).round() as i64);
        let nanos = |seconds: f64| Nanos::from_secs_f64(seconds.max(0.0)).unwrap_or_default();
        let mut runs: Vec<&RunIn> = self.runs.get(one.id.as_str()).cloned().unwrap_or_default();
        runs.sort_by(|a, b| a.ordinal.total_cmp(&b.ordinal));
        let runs = runs.into_iter().map(|run| {
            let at = (self.at)(run.time, run.contest_time).map_or(0, |at| (at - begun).0.max(0));
            Run {
                ordinal: run.ordinal.max(0.0) as u32,
                verdict: StoredVerdict(self.verdicts.of(&run.judgement_type_id)),
                cpu_time: nanos(run.run_time.unwrap_or(0.0)),
                memory_peak: None,
                at_ms: u32::try_from(at).unwrap_or(u32::MAX),
                for_jury: false,
            }
        });
        let runs = runs.collect();
        Some(ImportedJudgement {
            begun,
            end: (self.at)(one.end_time, one.end_contest_time).unwrap_or(begun).max(begun),
            outcome: Outcome { verdict: StoredVerdict(verdict), score: one.score.map(score) },
            max_run_time: one.max_run_time.map(nanos),
            subtasks: self
                .extra
                .subtasks
                .get(&one.id)
                .into_iter()
                .flatten()
                .map(|points| score(*points))
                .collect(),
            runs,
        })
    }
}

/// Reads ids of a list; those that are none are errors.
fn ids<T: FromStr<Err = contest_rules::IdError> + Ord>(
    results: &mut Results,
    file: &str,
    one: &str,
    texts: impl IntoIterator<Item = impl AsRef<str>>,
) -> BTreeSet<T> {
    let read = texts.into_iter().filter_map(|text| match text.as_ref().parse() {
        Ok(id) => Some(id),
        Err(error) => {
            results.errors.push(message(file, one, error));
            None
        }
    });
    read.collect()
}

fn clarifications(
    objects: &Objects,
    at: &impl Fn(Option<Time>, Option<RelTime>) -> Option<Instant>,
    results: &mut Results,
) {
    const FILE: &str = "clarifications";
    let mut ordered: Vec<(Instant, &ClarificationIn)> = Vec::new();
    for one in objects.clarifications.values() {
        match at(one.time, one.contest_time) {
            Some(time) => ordered.push((time, one)),
            None => results.errors.push(message(FILE, &one.id, "has no time")),
        }
    }
    ordered.sort_by_cached_key(|(time, one)| (*time, natural(&one.id)));
    let numbers: BTreeMap<&str, u32> =
        (1..).zip(&ordered).map(|(number, (_, one))| (one.id.as_str(), number)).collect();
    for (number, (time, one)) in (1..).zip(ordered) {
        let from_team = ids(results, FILE, &one.id, &one.from_team_id).into_iter().next();
        let teams = one.to_team_ids.iter().flatten().chain(&one.to_team_id);
        let (to_teams, to_groups) = match from_team {
            // A team writes to the jury.
            Some(_) => Default::default(),
            None => (
                ids(results, FILE, &one.id, teams),
                ids(results, FILE, &one.id, one.to_group_ids.iter().flatten()),
            ),
        };
        let reply_to = one.reply_to_id.as_deref().and_then(|id| numbers.get(id)).copied();
        let content = Clarification {
            number: ClarificationNumber(number),
            from_team,
            to_teams,
            to_groups,
            reply_to: reply_to.filter(|parent| *parent < number).map(ClarificationNumber),
            problem: ids(results, FILE, &one.id, &one.problem_id).into_iter().next(),
            category: one.category.clone(),
            text: one.text.clone(),
            time: None,
        };
        results.imported.push(Imported::Clarification { content: Box::new(content), time });
    }
}

fn commentary(
    objects: &Objects,
    at: &impl Fn(Option<Time>, Option<RelTime>) -> Option<Instant>,
    results: &mut Results,
) {
    const FILE: &str = "commentary";
    let text = |one: &Value, name: &str| one[name].as_str().unwrap_or_default().to_owned();
    let list = |one: &Value, name: &str| -> Vec<String> {
        let all = one[name].as_array().into_iter().flatten();
        all.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let mut ordered: Vec<(Instant, &Value)> = Vec::new();
    for one in objects.of(FILE) {
        let time = at(text(one, "time").parse().ok(), text(one, "contest_time").parse().ok());
        match time {
            Some(time) => ordered.push((time, one)),
            None => results.errors.push(message(FILE, &text(one, "id"), "has no time")),
        }
    }
    ordered.sort_by_cached_key(|(time, one)| (*time, natural(&text(one, "id"))));
    for (number, (time, one)) in (1..).zip(ordered) {
        let id = text(one, "id");
        let submissions = list(one, "submission_ids");
        let content = Commentary {
            number: CommentaryNumber(number),
            message: text(one, "message"),
            tags: list(one, "tags").into_iter().collect(),
            source: ids(results, FILE, &id, one["source_id"].as_str()).into_iter().next(),
            by: None,
            teams: ids(results, FILE, &id, list(one, "team_ids")),
            problems: ids(results, FILE, &id, list(one, "problem_ids")),
            submissions: submissions.iter().filter_map(|id| results.numbers.get(id)).copied().collect(),
        };
        results.imported.push(Imported::Commentary { content: Box::new(content), time });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn verdicts_of_others_become_ours() {
        let types = [
            json!({"id": "CE", "penalty": false, "solved": false}),
            json!({"id": "XX", "penalty": true, "solved": true}),
            json!({"id": "YY", "penalty": false, "solved": false}),
        ];
        let mut verdicts = Verdicts::new(&types);
        for (id, expect) in [
            ("AC", Verdict::Accepted),
            ("APE", Verdict::Accepted),
            ("MLE", Verdict::MemoryLimitExceeded),
            ("NO", Verdict::WrongAnswer),
            ("TNO", Verdict::TimeLimitExceeded),
            ("RWA", Verdict::RunTimeError),
            ("XX", Verdict::Accepted),
            ("YY", Verdict::CompileError),
            ("ZZ", Verdict::WrongAnswer),
        ] {
            assert_eq!(verdicts.of(id), expect, "{id}");
        }
        assert_eq!(verdicts.compile_penalty(), Some(false));
        assert!(verdicts.replaced.contains(&("APE".to_owned(), Verdict::Accepted)));
    }

    #[test]
    fn ids_are_ordered_as_people_do() {
        let mut ids = ["s10", "s9", "b", "2"];
        ids.sort_by_key(|id| natural(id));
        assert_eq!(ids, ["2", "s9", "s10", "b"]);
    }
}
