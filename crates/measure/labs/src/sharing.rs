//! The effect on a submission's times of others that are judged on the same place, or on other places.

use super::{Exercise, Floor, LabError, Ready, Submissions, Testbed, rounds, solved};
use judge::Engine;
use model::{Nanos, RunResult};
use stats::{Pairs, RatioEstimate, Sample};
use std::collections::BTreeMap;

/// Runs of a program in each judgement; the lowest of them is its time.
pub const RUNS: u32 = 5;
/// Runs of a neighbour in each of its judgements, so that it runs more than it compiles.
const NEIGHBOUR_CASES: u32 = 20;
const CONFIDENCE: f64 = 0.95;

/// What else is judged at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Condition {
    /// Nothing else is open.
    Alone,
    /// Neighbours are judged on the same place, while the submission rests.
    Interleaved,
    /// This many places are used at once, with a neighbour on each of the others.
    Places(u32),
}

impl Condition {
    /// Lists the conditions for a machine with this many cores: places are doubled until all cores are used.
    pub fn of(cores: u32) -> Vec<Self> {
        let doubled = std::iter::successors(Some(2_u32), |places| places.checked_mul(2));
        let places =
            doubled.take_while(|places| *places < cores).chain([cores].into_iter().filter(|all| *all > 1));
        [Self::Alone, Self::Interleaved].into_iter().chain(places.map(Self::Places)).collect()
    }
}

impl std::fmt::Display for Condition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Alone => f.write_str("alone"),
            Self::Interleaved => f.write_str("interleaved"),
            Self::Places(places) => write!(f, "{places} places"),
        }
    }
}

/// The parameters of the measurement.
#[derive(Debug)]
pub struct Setting<'a> {
    pub programs: &'a [Ready],
    pub neighbours: &'a [Ready],
    /// The conditions; the others are compared with the first one.
    pub conditions: Vec<Condition>,
    /// In each round, every program is judged once under every condition.
    pub rounds: u32,
}

/// The runs of a program under a condition, round by round.
pub type Rounds = BTreeMap<(usize, Condition), Vec<Vec<RunResult>>>;

/// Judges every program under every condition, in turns. Results before an error are kept.
pub fn run(
    setting: &Setting<'_>,
    testbed: Testbed,
    receive: &mut dyn FnMut(&str) -> Result<(), LabError>,
) -> (Rounds, Option<LabError>) {
    let mut done = Rounds::new();
    let error = attempt(setting, testbed, receive, &mut done).err();
    (done, error)
}

fn attempt(
    setting: &Setting<'_>,
    testbed: Testbed,
    receive: &mut dyn FnMut(&str) -> Result<(), LabError>,
    done: &mut Rounds,
) -> Result<(), LabError> {
    let make = |ready: &Ready, cases| Exercise::make(ready, cases);
    let programs: Vec<_> =
        setting.programs.iter().map(|ready| make(ready, RUNS)).collect::<Result<_, _>>()?;
    let neighbours: Vec<_> =
        setting.neighbours.iter().map(|ready| make(ready, NEIGHBOUR_CASES)).collect::<Result<_, _>>()?;
    let mut floor = Floor::new(testbed);
    for (_, at) in rounds(setting.conditions.len(), setting.rounds) {
        let condition = setting.conditions[at];
        let (places, neighbour_count) = match condition {
            Condition::Alone => (1, 0),
            Condition::Interleaved => (1, neighbours.len()),
            Condition::Places(places) => (places, places as usize - 1),
        };
        let engine = floor.judge(places - 1)?;
        let mut submissions = beginning(engine, neighbours.iter().cycle().take(neighbour_count))?;
        for (number, program) in programs.iter().enumerate() {
            let words = format!("{} {condition}", program.name());
            let entry = program.entry(engine, None)?;
            let judged = submissions.judge(&[entry], &mut || receive(&words))?;
            solved(&judged[0])?;
            let runs = judged.into_iter().flat_map(|judgement| judgement.cases).flat_map(|case| case.runs);
            done.entry((number, condition)).or_default().push(runs.collect());
        }
    }
    Ok(())
}

fn beginning<'e, 'n>(
    engine: &'e Engine,
    neighbours: impl Iterator<Item = &'n Exercise>,
) -> Result<Submissions<'e>, LabError> {
    let entries = neighbours.map(|exercise| exercise.entry(engine, None));
    Submissions::among(engine, entries.collect::<Result<_, _>>()?)
}

/// The summary of a program's times under a condition.
#[derive(Clone, Debug)]
pub struct Cost {
    pub condition: Condition,
    /// The lowest of each judgement's runs, in order.
    pub lowest: Vec<Nanos>,
    /// The ratio of its lowest times to those under the first condition, round by round; `None` for the first itself.
    pub ratio: Option<RatioEstimate>,
    /// The interquartile range of all single runs, divided by their median.
    pub run_spread: f64,
}

/// Summarises a program's runs, in the order of the conditions.
pub fn costs(program: usize, conditions: &[Condition], done: &Rounds) -> Vec<Cost> {
    let time = |run: &RunResult| run.usage.cpu_time;
    let lowest = |condition: Condition| -> Vec<Nanos> {
        let rounds = done.get(&(program, condition)).into_iter().flatten();
        rounds.filter_map(|runs| runs.iter().map(time).min()).collect()
    };
    let numbers = |times: &[Nanos]| times.iter().map(|time| time.0 as f64).collect::<Vec<_>>();
    let base = conditions.first().map(|first| numbers(&lowest(*first))).unwrap_or_default();
    let cost = |(at, condition): (usize, &Condition)| {
        let own = lowest(*condition);
        let pairs = own.len().min(base.len());
        let pairs = Pairs::new(&base[..pairs], &numbers(&own)[..pairs]).ok().filter(|_| at > 0);
        let runs = done.get(&(program, *condition))?.iter().flatten().map(|run| time(run).0 as f64);
        let runs = Sample::new(runs.collect()).ok()?;
        Some(Cost {
            condition: *condition,
            lowest: own,
            ratio: pairs.map(|pairs| pairs.ratio(CONFIDENCE)),
            run_spread: (runs.quantile(0.75) - runs.quantile(0.25)) / runs.median().max(1.0),
        })
    };
    conditions.iter().enumerate().filter_map(cost).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Evidence, RunEnd, Usage};

    fn runs(times_us: &[u64]) -> Vec<RunResult> {
        let run = |us: &u64| {
            let usage = Usage { cpu_time: Nanos(us * 1000), ..Usage::default() };
            RunResult { end: RunEnd::Exited(0), usage, evidence: Evidence::default() }
        };
        times_us.iter().map(run).collect()
    }

    #[test]
    fn places_are_doubled_up_to_all_cores() {
        let words =
            |cores| Condition::of(cores).iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        assert_eq!(words(1), "alone, interleaved");
        assert_eq!(words(2), "alone, interleaved, 2 places");
        assert_eq!(words(6), "alone, interleaved, 2 places, 4 places, 6 places");
    }

    #[test]
    fn conditions_are_compared_by_the_lowest_of_each_round() {
        let conditions = [Condition::Alone, Condition::Interleaved];
        let mut done = Rounds::new();
        for round in 0..10 {
            let drift = round * 50;
            done.entry((0, Condition::Alone)).or_default().push(runs(&[1500 + drift, 1000 + drift, 5000]));
            let slower = (1000 + drift) * 102 / 100;
            done.entry((0, Condition::Interleaved)).or_default().push(runs(&[slower, 3000]));
        }
        let costs = costs(0, &conditions, &done);
        assert_eq!((costs[0].lowest[9], costs[0].ratio), (Nanos(1_450_000), None));
        let ratio = costs[1].ratio.unwrap();
        let interval = ratio.interval.unwrap();
        let is_near = |value: f64| (value - 1.02).abs() < 1e-9;
        assert!([ratio.ratio, interval.low, interval.high].into_iter().all(is_near), "{ratio:?}");
        assert!(costs[1].run_spread > 0.5, "{}", costs[1].run_spread);
    }

    #[test]
    fn rounds_that_were_broken_off_have_no_partner() {
        let conditions = [Condition::Alone, Condition::Interleaved];
        let mut done = Rounds::new();
        done.insert((0, Condition::Alone), vec![runs(&[1000]), runs(&[1001])]);
        done.insert((0, Condition::Interleaved), vec![runs(&[1100])]);
        let costs = costs(0, &conditions, &done);
        assert!((costs[1].ratio.unwrap().ratio - 1.1).abs() < 1e-9);
        assert!(super::costs(1, &conditions, &done).is_empty());
    }
}
