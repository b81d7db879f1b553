//! A slow model of result aggregation in `2025-09`, written from the format's text: groups are lists of what a submission would
//! get, required groups are looked up by name, and nothing is skipped.

use super::super::{CaseResult, Grades, Results, still_needed, total};
use crate::testing::{CURRENT, Folder};
use fastrand::Rng;
use model::Verdict;
use std::collections::BTreeMap;

/// Random packages, and random results of each.
const PACKAGES: u64 = 100;
const SUBMISSIONS: usize = 32;
const ROUNDING: f64 = 1e-6;

/// `sample`, `secret` or a group in it.
#[derive(Debug)]
struct Part {
    name: String,
    aggregation: &'static str,
    /// `None` for unbounded.
    max_score: Option<u32>,
    /// The points of its static validation; `None` inside where it only passes or fails.
    check: Option<Option<u32>>,
    requires: Vec<String>,
    cases: Vec<String>,
}

#[derive(Debug)]
struct Data {
    sample: Option<Part>,
    secret: Part,
    groups: Vec<Part>,
}

fn random_part(rng: &mut Rng, name: &str, aggregation: &'static str, is_bounded: bool) -> Part {
    let max_score = is_bounded.then(|| rng.u32(0..40));
    let check = (rng.u32(0..6) == 0).then_some(match aggregation {
        "pass-fail" => None,
        _ => Some(max_score.unwrap_or(10) / 2),
    });
    let cases = (1..=rng.u32(1..4)).map(|number| format!("{name}/{number}")).collect();
    Part { name: name.to_owned(), aggregation, max_score, check, requires: Vec::new(), cases }
}

fn random_data(rng: &mut Rng) -> Data {
    let sample = rng.bool().then(|| Part { check: None, ..random_part(rng, "sample", "pass-fail", false) });
    let words = ["pass-fail", "sum", "sum", "min"];
    let aggregation = *rng.choice(words.iter()).unwrap();
    let is_bounded = aggregation == "pass-fail" || rng.bool();
    let mut secret = random_part(rng, "secret", aggregation, is_bounded);
    if sample.is_some() && rng.u32(0..4) == 0 {
        secret.requires.push("sample".to_owned());
    }
    let mut groups: Vec<Part> = Vec::new();
    if rng.u32(0..4) > 0 {
        (secret.cases, secret.check) = (Vec::new(), None);
        for name in ["secret/a", "secret/b", "secret/c"] {
            let word =
                if aggregation == "pass-fail" { "pass-fail" } else { *rng.choice(words.iter()).unwrap() };
            let is_bounded = is_bounded || word == "pass-fail" || rng.bool();
            let mut part = random_part(rng, name, word, is_bounded);
            let can_be_required = sample.iter().chain(&groups).filter(|part| part.aggregation == "pass-fail");
            let required = can_be_required.filter(|_| rng.u32(0..3) == 0).map(|part| part.name.clone());
            part.requires = required.collect();
            groups.push(part);
        }
        if is_bounded {
            secret.max_score = Some(groups.iter().filter_map(|part| part.max_score).sum());
        }
    }
    Data { sample, secret, groups }
}

impl Part {
    fn steps(&self) -> Vec<String> {
        let check = self.check.map(|_| format!("{}/static validation", self.name));
        check.into_iter().chain(self.cases.iter().cloned()).collect()
    }

    /// The most that a case can score.
    fn most(&self, step: &str) -> Option<f64> {
        let check = self.check.flatten().map_or(0.0, f64::from);
        if step.ends_with("static validation") {
            return Some(check);
        }
        let max = f64::from(self.max_score?);
        Some(if self.aggregation == "min" { max } else { (max - check) / self.cases.len() as f64 })
    }

    fn write(&self, folder: &Folder) {
        let mut text = String::new();
        if self.name != "sample" {
            let max = self.max_score.map_or("unbounded".to_owned(), |max| max.to_string());
            text += &format!("max_score: {max}\nscore_aggregation: {}\n", self.aggregation);
            text += &format!("require_pass: [{}]\n", self.requires.join(", "));
        }
        if let Some(score) = self.check {
            let score = score.map_or("pass-fail".to_owned(), |score| score.to_string());
            text += &format!("static_validation_score: {score}\n");
        }
        folder.write(&format!("data/{}/test_group.yaml", self.name), &text);
        for case in &self.cases {
            folder.write(&format!("data/{case}.in"), "1\n");
            folder.write(&format!("data/{case}.ans"), "1\n");
        }
    }
}

impl Data {
    fn parts(&self) -> impl Iterator<Item = &Part> {
        self.sample.iter().chain([&self.secret]).chain(&self.groups)
    }

    /// Whether a part is run at all, since everything that it requires is passed.
    fn is_run(&self, part: &Part, truth: &Results) -> bool {
        let required = |name: &String| self.parts().find(|part| part.name == *name).unwrap();
        let is_inside = part.name.starts_with("secret/");
        part.requires.iter().all(|name| self.is_passed(required(name), truth))
            && (!is_inside || self.is_run(&self.secret, truth))
    }

    fn is_passed(&self, part: &Part, truth: &Results) -> bool {
        self.is_run(part, truth) && part.steps().iter().all(|step| truth[step].verdict == Verdict::Accepted)
    }

    fn score(&self, part: &Part, truth: &Results) -> f64 {
        let max = part.max_score.map_or(0.0, f64::from);
        let mut scores: Vec<f64> = part
            .steps()
            .iter()
            .map(|step| match (truth[step], part.most(step)) {
                (CaseResult { verdict, .. }, _) if verdict != Verdict::Accepted => 0.0,
                (CaseResult { score: Some(score), .. }, _) => score,
                (CaseResult { score_multiplier: Some(share), .. }, Some(most)) => share * most,
                (_, most) => most.unwrap_or(0.0),
            })
            .collect();
        let mut passes = self.is_passed(part, truth);
        if part.name == "secret" {
            scores.extend(self.groups.iter().map(|group| self.score(group, truth)));
            passes &= self.groups.iter().all(|group| self.is_passed(group, truth));
        }
        match part.aggregation {
            _ if !self.is_run(part, truth) => 0.0,
            "pass-fail" if passes => max,
            "pass-fail" => 0.0,
            "sum" => scores.iter().sum(),
            _ => scores.into_iter().fold(f64::INFINITY, f64::min),
        }
    }
}

fn random_result(rng: &mut Rng, good: u32, part: &Part, step: &str) -> CaseResult {
    if rng.u32(0..100) >= good {
        let errors = [Verdict::WrongAnswer, Verdict::TimeLimitExceeded, Verdict::RunTimeError];
        return CaseResult::plain(*rng.choice(errors.iter()).unwrap());
    }
    let mut result = CaseResult::plain(Verdict::Accepted);
    if part.aggregation == "pass-fail" || part.name == "sample" {
        return result;
    }
    let share = f64::from(rng.u32(0..5)) / 4.0;
    match (part.most(step), rng.u32(0..3)) {
        (None, _) => result.score = Some(share * 10.0),
        (Some(most), 0) => result.score = Some(share * most),
        (Some(_), 1) => result.score_multiplier = Some(share),
        _ => {}
    }
    result
}

#[test]
fn random_packages_are_aggregated_as_by_the_text_of_2025_09() {
    println!("seeds 0 to {PACKAGES}");
    let (mut accepted, mut skipped, mut partial) = (0, 0, 0);
    for seed in 0..PACKAGES {
        let mut rng = Rng::with_seed(seed);
        let is_scoring = rng.u32(0..5) > 0;
        let model = random_data(&mut rng);
        let folder = Folder::new(CURRENT);
        std::fs::remove_dir_all(folder.path("data")).unwrap();
        folder.write("static_validator/check.py", "exit(42)\n");
        model.parts().for_each(|part| part.write(&folder));
        if is_scoring {
            let yaml = "problem_format_version: 2025-09\nname: Sum\nuuid: 0\ntype: scoring\n";
            folder.write("problem.yaml", yaml);
        } else {
            // Without points, a static validation only passes or fails.
            for part in model.parts() {
                let text = if part.check.is_some() { "static_validation_score: pass-fail\n" } else { "" };
                folder.write(&format!("data/{}/test_group.yaml", part.name), text);
            }
        }
        let data = folder.open().unwrap_or_else(|error| panic!("seed {seed}: {error}; {model:#?}")).data;
        let steps: Vec<String> = data.steps().iter().map(|step| step.name().to_owned()).collect();
        for number in 0..SUBMISSIONS {
            let good = *rng.choice([50, 80, 95, 100].iter()).unwrap();
            let mut truth = Results::new();
            for part in model.parts() {
                for step in part.steps() {
                    let result = random_result(&mut rng, good, part, &step);
                    let plain = CaseResult::plain(result.verdict);
                    truth.insert(step, if is_scoring { result } else { plain });
                }
            }
            let grades = Grades::new();
            let mut results = Results::new();
            for step in &steps {
                if still_needed(&data, is_scoring, &results, &grades, step).unwrap() {
                    results.insert(step.clone(), truth[step]);
                }
            }
            let context = format!("seed {seed}, submission {number}: {model:#?}\n{truth:#?}");
            let is_rejected = |step: &&String| truth[*step].verdict != Verdict::Accepted;
            let found = total(&data, is_scoring, &results, &grades).unwrap();
            if !is_scoring {
                // Judged up to the first rejection, which decides.
                let first = steps.iter().position(|step| is_rejected(&step));
                let judged = first.map_or(steps.len(), |first| first + 1);
                assert_eq!(results.len(), judged, "{context}");
                let expected = first.map_or(Verdict::Accepted, |first| truth[&steps[first]].verdict);
                assert_eq!(found.verdict, expected, "{context}");
                accepted += u32::from(expected == Verdict::Accepted);
                continue;
            }
            // Nothing is run in a group that is not to be run, nor after what decides its group.
            for part in model.parts() {
                let ran: Vec<String> =
                    part.steps().into_iter().filter(|step| results.contains_key(step)).collect();
                assert!(ran.is_empty() || model.is_run(part, &truth), "{}: {context}", part.name);
                if part.name != "sample" && part.aggregation != "sum" {
                    let rejected = ran.iter().position(|step| is_rejected(&step));
                    assert!(rejected.is_none_or(|at| at + 1 == ran.len()), "{}: {context}", part.name);
                }
            }
            let expected = model.score(&model.secret, &truth);
            let all = total(&data, is_scoring, &truth, &grades).unwrap();
            for found in [&found, &all] {
                assert!(
                    (found.score.unwrap() - expected).abs() < ROUNDING,
                    "{found:?}, {expected}: {context}"
                );
            }
            let first = steps.iter().filter(|step| results.contains_key(*step)).find(is_rejected);
            let verdict = match first {
                Some(first) if expected <= 0.0 => truth[first].verdict,
                _ => Verdict::Accepted,
            };
            assert_eq!((found.verdict, all.verdict), (verdict, verdict), "{context}");
            let scores: BTreeMap<_, _> = found.group_scores.into_iter().collect();
            for group in model.groups.iter().filter(|_| model.secret.aggregation != "pass-fail") {
                let expected = model.score(group, &truth);
                assert!((scores[&group.name] - expected).abs() < ROUNDING, "{}: {context}", group.name);
            }
            accepted += u32::from(verdict == Verdict::Accepted);
            skipped += u32::from(results.len() < steps.len());
            partial += u32::from(first.is_some() && expected > 0.0);
        }
    }
    println!("{accepted} accepted, {skipped} stopped early, {partial} with a part of the points");
    assert!([accepted, skipped, partial].into_iter().all(|count| count > 200));
}
