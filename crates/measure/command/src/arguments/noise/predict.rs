//! Arguments of `tauto noise predict`.

use super::units::{frequency_and_length, time_with_unit};
use ::noise::model::{ITERATIONS_MAX, NODES_MAX, PRESETS, UNITS_MAX};
use ::noise::{Occurrence, Source};
use clap::{Args, ValueEnum, value_parser};
use model::{Bytes, Nanos};
use std::path::PathBuf;
use terminal::values::{percent, size};

pub const PREDICT_EXAMPLES: &str = "\
Every node computes for T_C, then waits for its neighbours; noise on one node spreads to others from iteration to \
iteration. The formulas' results are printed at once. Then the model is simulated until the difference to a few nodes is \
known to one per cent with confidence 0.99; rows that would take more than --work have a star and how many replicas they \
want. After Ctrl-C the results so far are printed. docs/noise-model.md has the model, its choices and the formulas.

A source is HZ:TIME, such as 1000Hz:13us; random:HZ:TIME comes at random times, so often on average.

Exit code: 0 if it was predicted, 2 wrong usage or input, 3 internal or system error.

Examples:
  tauto noise predict p.noise --tc 75us
  tauto noise predict --source 1000Hz:13us --source 8Hz:160us --tc 75us
  tauto noise predict --preset fig5 --stencil 2d --nodes 1..1e6 --svg fig5.svg
  tauto noise predict --preset mvs100k --nodes 2,3,150,300 --latency 7us
  tauto noise predict --source random:100Hz:50us --tc 1ms --closed --json | jq '.points[].closed.extra_ns'";

/// More points than these would not be distinguished in a plot.
const POINTS_MAX: usize = 200;
/// Steps within each power of ten.
const STEPS: [u64; 3] = [1, 2, 5];

// Options of `tauto noise predict`.
#[derive(Debug, Args)]
pub struct PredictArguments {
    /// The sources of this profile, as 'tauto noise sources' finds them
    #[arg(value_name = "PROFILE", conflicts_with_all = ["sources", "preset"])]
    pub profile: Option<PathBuf>,
    /// Which CPU of the profile; by default the noisiest
    #[arg(long, value_name = "N", requires = "profile")]
    pub cpu: Option<u32>,
    /// A source of noise, such as 1000Hz:13us or random:100Hz:50us; can be repeated
    #[arg(long = "source", value_name = "HZ:TIME", value_parser = source,
          required_unless_present_any = ["preset", "profile"])]
    pub sources: Vec<Source>,
    /// Sources, T_C and message time of the article; other options override them
    #[arg(long, value_name = "NAME", value_parser = clap::builder::PossibleValuesParser::new(PRESETS.iter().map(|preset| preset.name)))]
    pub preset: Option<String>,
    /// How long an iteration computes, such as 75us
    #[arg(long, value_name = "TIME", value_parser = compute_time, required_unless_present = "preset")]
    pub tc: Option<Nanos>,
    /// How many nodes: a range such as 1..1e6, or a list such as 3,100,1e4
    #[arg(long, value_name = "RANGE", default_value = "1..1e6", value_parser = nodes)]
    pub nodes: NodeRange,
    /// Which neighbours a node waits for: 2 neighbours on a line, 4 or 8 on a rectangle, 6 in a box
    #[arg(long, value_name = "SHAPE", value_enum, default_value_t = PredictStencil::Line)]
    pub stencil: PredictStencil,
    /// What is beyond the last node
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = PredictEnds::Open, help_heading = "Model")]
    pub ends: PredictEnds,
    /// From which time the detours of an iteration are taken
    #[arg(long, value_name = "WHICH", value_enum, default_value_t = PredictWindow::OwnFinish, help_heading = "Model")]
    pub window: PredictWindow,
    /// Phases of the sources
    #[arg(long, value_name = "WHICH", value_enum, default_value_t = PredictPhases::OneOffset, help_heading = "Model")]
    pub phases: PredictPhases,
    /// Which node's time is reported
    #[arg(long, value_name = "WHICH", value_enum, default_value_t = PredictReported::Edge, help_heading = "Model")]
    pub reported: PredictReported,
    /// Number of iterations
    #[arg(long, value_name = "N", default_value_t = 1000, help_heading = "Model",
          value_parser = value_parser!(u64).range(1..=ITERATIONS_MAX))]
    pub iterations: u64,
    /// How many iterations at the start do not count
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Model",
          value_parser = value_parser!(u64).range(..ITERATIONS_MAX))]
    pub warm_up: u64,
    /// Latency of a message to a neighbour and back
    #[arg(long, value_name = "TIME", value_parser = latency, help_heading = "Messages")]
    pub latency: Option<Nanos>,
    /// Size of a message
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = "Messages")]
    pub message: Option<Bytes>,
    /// Bytes per second, such as 1GiB; by default the latency is that of the whole message
    #[arg(long, value_name = "SIZE", value_parser = size, requires = "message", help_heading = "Messages")]
    pub bandwidth: Option<Bytes>,
    /// Print only the formulas' results
    #[arg(long, help_heading = "Simulation")]
    pub closed: bool,
    /// Seed of all random numbers
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Simulation")]
    pub seed: u64,
    /// The number of nodes to which the difference is taken
    #[arg(long, value_name = "N", default_value_t = 3, help_heading = "Simulation",
          value_parser = value_parser!(u64).range(1..=NODES_MAX))]
    pub reference: u64,
    /// Required precision of the difference, in per cent of it
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0, value_parser = percent::<50>, help_heading = "Simulation")]
    pub precision: f64,
    /// Maximum number of replicas for one number of nodes
    #[arg(long, value_name = "N", default_value_t = 1_000_000, help_heading = "Simulation",
          value_parser = value_parser!(u32).range(10..=1_000_000))]
    pub replicas: u32,
    /// Maximum of nodes times iterations to simulate, for all numbers of nodes together
    #[arg(long, value_name = "N", default_value = "1e10", value_parser = work, help_heading = "Simulation")]
    pub work: u64,
    /// Also draw it into this file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
}

/// Numbers of nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeRange(pub Vec<u64>);

/// Which neighbours a node waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PredictStencil {
    /// Two neighbours on a line.
    #[value(name = "1d")]
    Line,
    /// Four on a rectangle.
    #[value(name = "2d")]
    Square4,
    /// Eight on a rectangle.
    #[value(name = "2d8")]
    Square8,
    /// Six in a box.
    #[value(name = "3d")]
    Cube6,
}

/// What is beyond the last node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PredictEnds {
    /// Nothing.
    Open,
    /// The first node.
    Periodic,
}

/// From which time detours are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PredictWindow {
    /// From when the node itself had finished, for T_C: as the article writes it.
    OwnFinish,
    /// From when the last of those it waits for had finished, for T_C.
    Computing,
    /// As computing, and as long as its detours make it.
    Lengthened,
}

/// When sources begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PredictPhases {
    /// One random offset for each node, which all its sources share: as the article writes it.
    OneOffset,
    /// One for each node and source.
    Own,
    /// One for all nodes: noise comes everywhere at the same time.
    Common,
}

/// Which node's time is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PredictReported {
    /// The last one's, at the edge: the article's.
    Edge,
    /// The latest.
    Maximum,
    /// The mean of all.
    Mean,
}

fn source(text: &str) -> Result<Source, String> {
    let (random, rest) = match text.strip_prefix("random:") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (hz, length) = frequency_and_length(rest)?;
    let occurrence =
        if random { Occurrence::Random { rate_hz: hz } } else { Occurrence::Periodic { frequency_hz: hz } };
    Ok(Source { occurrence, length_ns: length.0 as f64 })
}

pub(super) fn compute_time(text: &str) -> Result<Nanos, String> {
    time_with_unit("T_C", text)
}

fn latency(text: &str) -> Result<Nanos, String> {
    time_with_unit("latency", text)
}

fn work(text: &str) -> Result<u64, String> {
    match text.trim().parse::<f64>() {
        Ok(value) if (1e3..=UNITS_MAX as f64).contains(&value) => Ok(value as u64),
        _ => Err("expected a number from 1000 to 1e15, such as 1e10".to_owned()),
    }
}

fn node_count(text: &str) -> Result<u64, String> {
    let value: f64 = text.trim().parse().map_err(|_| {
        format!(
            "'{text}' is not a number of nodes; write a range such as 1..1e6, or a list such as 3,100,1e4"
        )
    })?;
    if value.is_nan() || value < 1.0 {
        return Err("0 nodes cannot be simulated; give 1 or more".to_owned());
    }
    if value > NODES_MAX as f64 {
        return Err(format!("{text} nodes are more than can be simulated; give at most {NODES_MAX}"));
    }
    if value.fract() != 0.0 {
        return Err(format!("'{text}' is not a whole number of nodes"));
    }
    Ok(value as u64)
}

fn nodes(text: &str) -> Result<NodeRange, String> {
    let Some((from, to)) = text.split_once("..") else {
        let all: Vec<u64> = text.split(',').map(node_count).collect::<Result<_, _>>()?;
        return if all.len() <= POINTS_MAX {
            Ok(NodeRange(all))
        } else {
            Err(format!("{} numbers are more than the {POINTS_MAX} that one prediction has", all.len()))
        };
    };
    let (from, to) = (node_count(from)?, node_count(to)?);
    if from > to {
        return Err(format!("the range {text} is empty; its end is below its start"));
    }
    let mut all = vec![from];
    let mut power = 1;
    while power <= to {
        all.extend(STEPS.iter().map(|step| step * power).filter(|count| *count > from && *count < to));
        power *= 10;
    }
    if to > from {
        all.push(to);
    }
    Ok(NodeRange(all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_read() {
        let tick = Source { occurrence: Occurrence::Periodic { frequency_hz: 1000.0 }, length_ns: 13e3 };
        assert_eq!(source("1000Hz:13us"), Ok(tick.clone()));
        assert_eq!(source("1000:13us"), Ok(tick));
        let random = Source { occurrence: Occurrence::Random { rate_hz: 0.5 }, length_ns: 5e6 };
        assert_eq!(source("random:0.5Hz:5ms"), Ok(random));
        for wrong in ["1000Hz", "13us:1000Hz", "x:1us", "1:x", "8Hz:160", ""] {
            assert!(source(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn nodes_are_ranges_or_lists() {
        assert_eq!(nodes("1..20"), Ok(NodeRange(vec![1, 2, 5, 10, 20])));
        assert_eq!(nodes("3..1e2"), Ok(NodeRange(vec![3, 5, 10, 20, 50, 100])));
        assert_eq!(nodes("7"), Ok(NodeRange(vec![7])));
        assert_eq!(nodes("3,1e6"), Ok(NodeRange(vec![3, 1_000_000])));
        assert_eq!(nodes("0"), Err("0 nodes cannot be simulated; give 1 or more".to_owned()));
        assert_eq!(
            nodes("1..1e9"),
            Err("1e9 nodes are more than can be simulated; give at most 100000000".to_owned())
        );
        for wrong in ["", "5..2", "1.5", "NaN", "-3", "a..b"] {
            assert!(nodes(wrong).is_err(), "{wrong}");
        }
    }
}
