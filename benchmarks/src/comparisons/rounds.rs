//! Turns: in each round every arm runs, and each round starts with another one.

use serde::Serialize;

use super::arm::{Arm, Method};

/// Arms that measure by themselves are called this often in a comparison, so that they too are spread over it.
const BATCHES: usize = 10;

#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    #[serde(flatten)]
    pub arm: Arm,
    pub samples_ns: Vec<u64>,
    /// Why the arm stopped; its samples do not count then.
    pub failure: Option<String>,
}

/// Runs all arms in turn.
///
/// An arm that fails is out, with its reason; the others go on.
pub fn interleave(
    arms: Vec<Arm>,
    rounds: usize,
    warm_ups: usize,
    progress: &mut dyn FnMut(usize),
) -> Vec<Outcome> {
    let mut outcomes: Vec<Outcome> = arms
        .into_iter()
        .map(|arm| {
            let failure = match &arm.method {
                Method::Missing(fix) => Some(format!("not installed: {fix}")),
                _ => arm.try_once().err().map(|error| format!("does not run here: {error:#}")),
            };
            Outcome { arm, samples_ns: Vec::new(), failure }
        })
        .collect();
    let batch = rounds.div_ceil(BATCHES);
    for round in 0..warm_ups + rounds {
        let measured = round.checked_sub(warm_ups);
        if let Some(measured) = measured {
            progress(measured);
        }
        for turn in 0..outcomes.len() {
            let index = (turn + round) % outcomes.len();
            let outcome = &mut outcomes[index];
            if outcome.failure.is_some() {
                continue;
            }
            let count = match (&outcome.arm.method, measured) {
                (Method::Batch(_), Some(measured)) if measured % batch != 0 => continue,
                (Method::Batch(_), Some(measured)) => batch.min(rounds - measured),
                _ => 1,
            };
            match outcome.arm.sample(count) {
                Ok(samples) if measured.is_some() => outcome.samples_ns.extend(samples),
                Ok(_) => {}
                Err(error) => outcome.failure = Some(format!("failed in round {round}: {error:#}")),
            }
        }
    }
    outcomes
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn writer(name: &str, log: &Path) -> Arm {
        Arm::process(name, "", &["sh", "-c", &format!("printf {name} >>{}", log.display())])
    }

    #[test]
    fn arms_take_turns_and_start_in_turn() {
        let directory = tempfile::tempdir().unwrap();
        let log = directory.path().join("log");
        let outcomes =
            interleave(vec![writer("a", &log), writer("b", &log), writer("c", &log)], 3, 1, &mut |_| {});
        assert_eq!(std::fs::read_to_string(&log).unwrap(), "abcabcbcacababc");
        assert!(outcomes.iter().all(|outcome| outcome.samples_ns.len() == 3 && outcome.failure.is_none()));
    }

    #[test]
    fn batches_add_up_to_the_rounds() {
        let numbers = Arm::batch("seq", "", &["sh", "-c", "seq $1 | paste -sd, | sed 's/.*/[&]/'", "sh"]);
        for rounds in [1, 7, 10, 23] {
            let outcomes = interleave(vec![numbers.clone()], rounds, 2, &mut |_| {});
            assert_eq!(outcomes[0].failure, None);
            assert_eq!(outcomes[0].samples_ns.len(), rounds);
        }
    }

    #[test]
    fn a_failing_arm_does_not_stop_the_others() {
        let directory = tempfile::tempdir().unwrap();
        let log = directory.path().join("log");
        let twice = format!("printf x >>{0}; test $(wc -c <{0}) -lt 3", log.display());
        let arms = vec![
            Arm::process("sh", "", &["sh", "-c", &twice]),
            Arm::missing("none", "", "apt-get install none"),
            Arm::process("gone", "", &["/nonexistent/program"]),
            Arm::process("true", "", &["true"]),
        ];
        let outcomes = interleave(arms, 4, 0, &mut |_| {});
        let failures: Vec<_> =
            outcomes.iter().map(|outcome| outcome.failure.as_deref().unwrap_or("")).collect();
        assert!(failures[0].starts_with("failed in round 1"), "{failures:?}");
        assert!(
            failures[1].contains("apt-get install none") && failures[2].contains("/nonexistent"),
            "{failures:?}"
        );
        assert_eq!((failures[3], outcomes[3].samples_ns.len()), ("", 4));
    }
}
