//! What a jury has to know about languages whose counts of instructions differ from run to run.

use judge::Judged;
use model::Nanos;
use std::collections::BTreeMap;

/// Returns a sentence about these languages, about a limit that was derived from such a count, and about each verdict that
/// another count may change. `slowest` is the submission from which the limit was derived.
pub fn warnings(judged: &[Judged], limit: Nanos, slowest: Option<&str>) -> Vec<String> {
    let spread = |one: &Judged| Some((one.judgement.language.clone()?, one.judgement.count_spread?));
    let languages: BTreeMap<String, f64> = judged.iter().filter_map(spread).collect();
    if languages.is_empty() {
        return Vec::new();
    }
    let named: Vec<_> = languages.iter().map(|(id, percent)| format!("{id} {percent} %")).collect();
    let mut warnings =
        vec![format!("counts of the same program differ from run to run, by up to: {}", named.join(", "))];
    for Judged { judgement, .. } in judged {
        let (Some(percent), name) = (judgement.count_spread, &judgement.name) else { continue };
        if slowest == Some(name) {
            warnings.push(format!(
                "the limit follows from {name}, whose count differs by up to {percent} %; name a limit in the package to fix it"
            ));
        }
        let is_near = |time: Nanos| {
            let (time, limit) = (time.0 as f64, limit.0 as f64);
            // One that was ended at its limit has no count.
            time != limit && (time - limit).abs() <= limit * percent / 100.0
        };
        if let Some(case) = judgement.cases.iter().find(|case| is_near(case.time())) {
            warnings.push(format!(
                "{name} takes {} on {}, within {percent} % of the limit: in another run it may be on the other side",
                case.time(),
                case.name
            ));
        }
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::{CaseJudgement, Judgement};
    use model::{Clock, Evidence, InstructionCount, Reading, RunEnd, RunResult, Usage, Verdict};

    fn judged(name: &str, language: &str, count_spread: Option<f64>, ms: u64) -> Judged {
        let instructions = Reading::Known(InstructionCount(ms * 1_000_000));
        let usage = Usage { instructions, ..Usage::default() };
        let run = RunResult { end: RunEnd::Exited(0), usage, evidence: Evidence::default() };
        let clock = Clock::Instructions { per_nanosecond: 1 };
        let case =
            CaseJudgement { runs: vec![run], clock, ..CaseJudgement::new("secret/1", Verdict::Accepted) };
        let judgement = Judgement {
            language: Some(language.to_owned()),
            count_spread,
            cases: vec![case],
            ..Judgement::failed(name, String::new())
        };
        Judged::new(judgement, None)
    }

    #[test]
    fn only_counts_with_a_spread_are_worth_a_word() {
        let all = [judged("a.c", "c", None, 999), judged("b.go", "go", Some(2.5), 500)];
        let limit = Nanos::from_millis(1000);
        assert_eq!(warnings(&all[..1], limit, Some("a.c")), [""; 0]);
        let general = "counts of the same program differ from run to run, by up to: go 2.5 %";
        assert_eq!(warnings(&all, limit, None), [general]);
        assert_eq!(
            warnings(&all, limit, Some("b.go")),
            [
                general,
                "the limit follows from b.go, whose count differs by up to 2.5 %; name a limit in the package to fix it"
            ]
        );
    }

    #[test]
    fn a_count_near_the_limit_may_be_on_either_side() {
        let limit = Nanos::from_millis(1000);
        for (ms, is_near) in [(974, false), (975, true), (1000, false), (1025, true), (1026, false)] {
            let found = warnings(&[judged("b.go", "go", Some(2.5), ms)], limit, None);
            assert_eq!(found.len() == 2, is_near, "{ms}: {found:?}");
        }
        assert_eq!(
            warnings(&[judged("b.go", "go", Some(2.5), 990)], limit, None)[1],
            "b.go takes 990.0 ms on secret/1, within 2.5 % of the limit: in another run it may be on the other side"
        );
    }
}
