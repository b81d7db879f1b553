//! A slow model of the legacy formats' default grader and of the order in which `verifyproblem` judges, for packages read
//! from files.
//!
//! Written from the behaviour of these programs on texts, with nothing of the code that it checks: a group's
//! configuration is a map of words, and a grader takes lines such as `WA 0` and words such as `first_error`.

use super::super::{CaseResult, Grades, NoTotal, Results, still_needed, total};
use crate::testing::{Folder, LEGACY};
use fastrand::Rng;
use model::Verdict;
use std::collections::{BTreeMap, BTreeSet};

/// Random packages, and random results of each.
const PACKAGES: u64 = 125;
const SUBMISSIONS: usize = 32;
/// Scores are printed with six digits in each group.
const ROUNDING: f64 = 1e-4;

/// A folder of test data.
#[derive(Debug, Default)]
struct Node {
    /// The path below `data/`.
    path: String,
    /// What its own `testdata.yaml` sets.
    own: BTreeMap<&'static str, String>,
    /// By name; a case has none.
    items: BTreeMap<String, Option<Node>>,
}

type Config = BTreeMap<&'static str, String>;

fn random_node(rng: &mut Rng, path: &str, depth: u32, is_scoring: bool) -> Node {
    let mut node = Node { path: path.to_owned(), ..Node::default() };
    let mut flags = Vec::new();
    for _ in 0..rng.u32(0..3) {
        flags.push(*rng.choice(["worst_error", "first_error", "always_accept"].iter()).unwrap());
        flags.push(*rng.choice(["sum", "avg", "min", "max"].iter()).unwrap());
    }
    if rng.u32(0..5) == 0 {
        flags.push("accept_if_any_accepted");
    }
    rng.shuffle(&mut flags);
    if rng.bool() {
        node.own.insert("grader_flags", flags.join(" "));
    }
    if rng.bool() {
        let word = if rng.bool() { "break" } else { "continue" };
        node.own.insert("on_reject", word.to_owned());
    }
    if is_scoring {
        for (key, values) in [
            ("accept_score", ["1", "2.5", "10"]),
            ("reject_score", ["0", "0.5", "-1"]),
            ("range", ["-inf +inf", "-0.25 40.25", "0 inf"]),
        ] {
            if rng.u32(0..4) == 0 {
                node.own.insert(key, (*rng.choice(values.iter()).unwrap()).to_owned());
            }
        }
    }
    let count = if path.is_empty() { 0 } else { rng.usize(0..4) };
    for name in ["1", "2", "3", "4"].iter().take(count) {
        node.items.insert((*name).to_owned(), None);
    }
    if depth > 0 && !path.is_empty() {
        for name in ["0-first", "2z", "last"] {
            if rng.u32(0..3) == 0 {
                let inner = random_node(rng, &format!("{path}/{name}"), depth - 1, is_scoring);
                node.items.insert(name.to_owned(), Some(inner));
            }
        }
    }
    node
}

fn random_data(rng: &mut Rng, is_scoring: bool) -> Node {
    let mut root = random_node(rng, "", 0, is_scoring);
    let mut secret = random_node(rng, "secret", 2, is_scoring);
    secret.items.insert("5".to_owned(), None);
    let depth = rng.u32(0..2);
    let mut sample = random_node(rng, "sample", depth, is_scoring);
    if rng.u32(0..3) == 0 {
        let flags = root.own.entry("grader_flags").or_default();
        *flags = format!("{flags} ignore_sample");
        // Inherited, the flag would drop results of these groups, which `verifyproblem` calls an error.
        for group in [&mut sample, &mut secret] {
            group.own.entry("grader_flags").or_default();
        }
    }
    root.items.insert("secret".to_owned(), Some(secret));
    if rng.u32(0..4) > 0 {
        root.items.insert("sample".to_owned(), Some(sample));
    }
    root
}

fn write(node: &Node, folder: &Folder) {
    let place = if node.path.is_empty() { "data".to_owned() } else { format!("data/{}", node.path) };
    if !node.own.is_empty() {
        let quoted = |value: &String| if value.is_empty() { "''".to_owned() } else { value.clone() };
        let lines = node.own.iter().map(|(key, value)| format!("{key}: {}\n", quoted(value)));
        let text: String = lines.collect();
        folder.write(&format!("{place}/testdata.yaml"), &text);
    }
    for (name, item) in &node.items {
        match item {
            Some(inner) => write(inner, folder),
            None => {
                folder.write(&format!("{place}/{name}.in"), "1\n");
                folder.write(&format!("{place}/{name}.ans"), "1\n");
            }
        }
    }
}

/// One submission in the model: what it would get in each case, and what was judged.
struct Model<'t> {
    truth: &'t Results,
    is_scoring: bool,
    judged: BTreeSet<String>,
    is_out_of_range: bool,
}

impl Model<'_> {
    /// Judges a group as `verifyproblem` does; `None` if there is nothing in it.
    fn judge(&mut self, node: &Node, inherited: &Config) -> Option<(String, f64)> {
        let mut config = node.own.clone();
        for (key, value) in inherited {
            config.entry(key).or_insert_with(|| value.clone());
        }
        let mut results = Vec::new();
        for (name, item) in &node.items {
            let result = match item {
                Some(inner) => match self.judge(inner, &config) {
                    Some(result) => result,
                    None => continue,
                },
                None => {
                    let path = format!("{}/{name}", node.path);
                    let result = self.truth[&path];
                    self.judged.insert(path);
                    let key =
                        if result.verdict == Verdict::Accepted { "accept_score" } else { "reject_score" };
                    let score = result.score.unwrap_or_else(|| config[key].parse().unwrap());
                    (result.verdict.clics_id().to_owned(), score)
                }
            };
            let is_rejected = result.0 != "AC";
            results.push(result);
            if is_rejected && config["on_reject"] == "break" {
                break;
            }
        }
        if results.is_empty() {
            return None;
        }
        let (verdict, score) = match results.iter().find(|(verdict, _)| verdict == "JE") {
            Some(failed) => failed.clone(),
            None => default_grader(&config["grader_flags"], &results),
        };
        let bounds: Vec<f64> = config["range"].split(' ').map(|word| word.parse().unwrap()).collect();
        self.is_out_of_range |= self.is_scoring && !(bounds[0] <= score && score <= bounds[1]);
        Some((verdict, score))
    }
}

/// The default grader, with its flags as words and its answer as printed.
fn default_grader(flags: &str, results: &[(String, f64)]) -> (String, f64) {
    let (mut verdict_mode, mut score_mode) = ("worst_error", "sum");
    let (mut ignores_sample, mut accepts_any) = (false, false);
    for flag in flags.split_whitespace() {
        match flag {
            "worst_error" | "first_error" | "always_accept" => verdict_mode = flag,
            "sum" | "avg" | "min" | "max" => score_mode = flag,
            "ignore_sample" => ignores_sample = true,
            "accept_if_any_accepted" => accepts_any = true,
            _ => panic!("{flag}"),
        }
    }
    let mut results = results;
    if ignores_sample {
        assert!(results.len() <= 2);
        results = &results[results.len() - 1..];
    }
    let has = |wanted: &str| results.iter().any(|(verdict, _)| verdict == wanted);
    let verdict = if accepts_any && has("AC") || verdict_mode == "always_accept" {
        "AC"
    } else if verdict_mode == "first_error" {
        results.iter().map(|(verdict, _)| verdict.as_str()).find(|verdict| *verdict != "AC").unwrap_or("AC")
    } else {
        ["JE", "RTE", "MLE", "TLE", "OLE", "WA"].into_iter().find(|error| has(error)).unwrap_or("AC")
    };
    let mut scores: Vec<f64> = results.iter().map(|(_, score)| *score).collect();
    scores.sort_by(f64::total_cmp);
    let sum: f64 = scores.iter().sum();
    let score = match score_mode {
        "sum" => sum,
        "avg" => sum / scores.len() as f64,
        "min" => scores[0],
        _ => scores[scores.len() - 1],
    };
    (verdict.to_owned(), format!("{score:.6}").parse().unwrap())
}

fn random_result(rng: &mut Rng, good: u32, is_scoring: bool) -> CaseResult {
    let errors = [
        Verdict::WrongAnswer,
        Verdict::WrongAnswer,
        Verdict::TimeLimitExceeded,
        Verdict::RunTimeError,
        Verdict::MemoryLimitExceeded,
        Verdict::OutputLimitExceeded,
    ];
    let verdict = match rng.u32(0..100) {
        0 => Verdict::JudgingError,
        share if share < good => Verdict::Accepted,
        _ => *rng.choice(errors.iter()).unwrap(),
    };
    let names_score = is_scoring && rng.u32(0..8) == 0 && verdict != Verdict::JudgingError;
    CaseResult { score: names_score.then(|| f64::from(rng.u32(0..20)) / 4.0), ..CaseResult::plain(verdict) }
}

#[test]
fn random_packages_are_graded_as_by_the_formats_own_tools() {
    println!("seeds 0 to {PACKAGES}");
    let mut outcomes = BTreeMap::<String, u32>::new();
    for seed in 0..PACKAGES {
        let mut rng = Rng::with_seed(seed);
        let is_scoring = rng.bool();
        let node = random_data(&mut rng, is_scoring);
        let folder = Folder::package(
            LEGACY,
            &[("problem.yaml", if is_scoring { "name: Sum\ntype: scoring\n" } else { "name: Sum\n" })],
        );
        std::fs::remove_dir_all(folder.path("data")).unwrap();
        write(&node, &folder);
        let data = folder.open().unwrap().data;
        let defaults = Config::from([
            ("on_reject", "break".to_owned()),
            ("grader_flags", String::new()),
            ("accept_score", "1".to_owned()),
            ("reject_score", "0".to_owned()),
            ("range", "-inf inf".to_owned()),
        ]);
        let root_reject: f64 = node.own.get("reject_score").map_or(0.0, |value| value.parse().unwrap());
        for number in 0..SUBMISSIONS {
            let good = *rng.choice([30, 60, 90, 100].iter()).unwrap();
            let truth: Results = data
                .all_cases()
                .iter()
                .map(|case| (case.name.clone(), random_result(&mut rng, good, is_scoring)))
                .collect();
            let mut model =
                Model { truth: &truth, is_scoring, judged: BTreeSet::new(), is_out_of_range: false };
            let (verdict, score) = model.judge(&node, &defaults).unwrap();

            let grades = Grades::new();
            let mut results = Results::new();
            for case in data.all_cases() {
                if still_needed(&data, is_scoring, &results, &grades, &case.name).unwrap() {
                    results.insert(case.name.clone(), truth[&case.name]);
                }
            }
            let context = format!("seed {seed}, submission {number}: {node:#?}\n{truth:#?}");
            assert_eq!(results.keys().cloned().collect::<BTreeSet<_>>(), model.judged, "{context}");
            let solves = model
                .judged
                .iter()
                .any(|case| case.starts_with("secret/") && truth[case].verdict == Verdict::Accepted);
            let outcome = match verdict.as_str() {
                "AC" if is_scoring && model.is_out_of_range => "out of range",
                // The one difference: no grader makes a submission pass that passed no secret case.
                "AC" if !is_scoring && !solves => "unsupported",
                verdict => verdict,
            };
            *outcomes.entry(outcome.to_owned()).or_default() += 1;
            // What was skipped could not have changed anything.
            for known in [&results, &truth] {
                match (total(&data, is_scoring, known, &grades), outcome) {
                    (Err(NoTotal::Score(error)), "out of range") => {
                        assert!(error.problem.starts_with("has the score"), "{error}; {context}");
                    }
                    (Err(NoTotal::Score(error)), "unsupported") => {
                        assert!(error.problem.starts_with("is accepted by its grader"), "{error}; {context}");
                    }
                    (Ok(found), expected) => {
                        assert_eq!(found.verdict.clics_id(), expected, "{context}");
                        let expected = if verdict == "AC" { score } else { root_reject };
                        let is_right = !is_scoring
                            || verdict == "JE"
                            || (found.score.unwrap() - expected).abs() < ROUNDING;
                        assert!(is_right, "{:?} for {expected}; {context}", found.score);
                    }
                    (found, expected) => panic!("{found:?} for {expected}; {context}"),
                }
            }
        }
    }
    println!("{outcomes:?}");
    for outcome in ["AC", "WA", "RTE", "MLE", "TLE", "OLE", "JE", "out of range", "unsupported"] {
        assert!(outcomes.get(outcome).is_some_and(|count| *count >= 5), "{outcome}: {outcomes:?}");
    }
}
