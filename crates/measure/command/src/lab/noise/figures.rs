//! The article's figures.

use documents::{LabNoiseCurve, LabNoiseFigure, LabNoisePoint};
use noise::{QuantumTrace, TickRate};
use plot::{Axis, LinePlot, LineSeries, ScatterPlot, ScatterSeries, Unit};
use stats::Sample;

/// Figure 1 shows the first second.
const FIRST_NS: (f64, f64) = (0.0, 1e9);
/// Figure 2 shows single detours, for which a fifth of a second after the start is enough.
const LATER_NS: (f64, f64) = (0.5e9, 0.7e9);
/// The narrow view omits the longest hundredth, otherwise everything else would be one line.
const NARROW_PART: f64 = 0.99;
/// It also ends at this multiple of the median: if programs share a CPU, more than a hundredth of the calls are that
/// long.
const NARROW_TIMES: f64 = 1.5;
/// More ticks would be hard to read.
const TICKS_MAX: u64 = 8;
/// The units of times: typical values are a few units.
const MICROSECONDS: &[Unit] = &[Unit { name: "us", size: 1e3 }];
const MILLISECONDS: &[Unit] = &[Unit { name: "ms", size: 1e6 }];

/// Which calls are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// All of the first second.
    First,
    /// The same without the longest.
    FirstNarrow,
    /// A later fifth of a second, without the longest.
    Later,
}

/// Draws calls over time.
pub fn calls(title: &str, trace: &QuantumTrace, rate: TickRate, view: View) -> String {
    let begin = trace.starts.first().map_or(0.0, |start| rate.nanos(*start));
    let (from, to) = if view == View::Later { LATER_NS } else { FIRST_NS };
    let mut points: Vec<(f64, f64)> = trace
        .starts
        .iter()
        .zip(&trace.lengths)
        .map(|(start, length)| (rate.nanos(*start) - begin, rate.nanos(*length)))
        .filter(|(at, _)| (from..to).contains(at))
        .collect();
    if view != View::First {
        let high = high(&points);
        points.retain(|(_, length)| *length <= high);
    }
    ScatterPlot {
        title: title.to_owned(),
        x: Axis::new("time from the first call", MILLISECONDS),
        y: Axis::new("duration of a call", MICROSECONDS),
        series: vec![ScatterSeries { label: "each mark is one call".to_owned(), points }],
    }
    .draw()
}

/// Returns the upper end of the narrow view.
fn high(points: &[(f64, f64)]) -> f64 {
    let lengths = points.iter().map(|point| point.1).collect();
    Sample::new(lengths)
        .map_or(f64::INFINITY, |lengths| lengths.quantile(NARROW_PART).min(NARROW_TIMES * lengths.median()))
}

/// Draws the time that noise adds to an iteration beyond three nodes: figures 3 and 4.
pub fn delay(figure: &LabNoiseFigure) -> String {
    let beyond = |curve: &LabNoiseCurve, of: fn(&LabNoisePoint) -> f64| {
        let points = curve.points.iter().filter(|point| point.nodes >= 3);
        points.map(|point| (f64::from(point.nodes), of(point))).collect()
    };
    let series = figure.curves.iter().flat_map(|curve| {
        [
            LineSeries {
                label: "model, simulated".to_owned(),
                points: beyond(curve, |point| point.over_three_ns),
            },
            LineSeries {
                label: "formulas".to_owned(),
                points: beyond(curve, |point| point.closed_over_three_ns),
            },
        ]
    });
    LinePlot {
        title: format!(
            "Figure {}: longer than with 3 nodes by noise, T_C = {} us",
            figure.number,
            figure.call_ns / 1000
        ),
        x: Axis::new("nodes", Unit::COUNT),
        y: Axis::new("M_P - M_3", MICROSECONDS),
        series: series.collect(),
    }
    .draw()
}

/// Draws the time of an iteration in one dimension and in two: figure 5.
pub fn dimensions(figure: &LabNoiseFigure) -> String {
    let series = figure.curves.iter().flat_map(|curve| {
        let dimensions = if curve.shape == "line" { "one dimension" } else { "two dimensions" };
        let points = |of: fn(&LabNoisePoint) -> f64| {
            curve.points.iter().map(|point| (f64::from(point.nodes), of(point))).collect()
        };
        [
            LineSeries {
                label: format!("model, simulated: {dimensions}"),
                points: points(|point| point.iteration_ns),
            },
            LineSeries { label: format!("formulas: {dimensions}"), points: points(|point| point.closed_ns) },
        ]
    });
    let mut plot = LinePlot {
        title: format!("Figure {}: an iteration, T_C = {} us", figure.number, figure.call_ns / 1000),
        x: Axis::new("nodes", Unit::COUNT),
        y: Axis::new("M_P", MICROSECONDS),
        series: series.collect(),
    };
    plot.y.ticks = ticks_from(figure.call_ns as f64, &plot.series);
    plot.draw()
}

/// Ticks in whole us from T_C on, since everything above it is noise.
fn ticks_from(call_ns: f64, series: &[LineSeries]) -> Vec<(f64, String)> {
    let values = series.iter().flat_map(|series| series.points.iter().map(|point| point.1));
    let high = values.fold(call_ns, f64::max);
    let steps = ((high - call_ns) / 1e3).ceil().max(1.0) as u64;
    let stride = steps.div_ceil(TICKS_MAX);
    (0..=steps.div_ceil(stride))
        .map(|step| call_ns + (step * stride) as f64 * 1e3)
        .map(|value| (value, format!("{:.0} us", value / 1e3)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use documents::LabNoisePoint;
    use model::Nanos;
    use noise::Ticks;

    #[test]
    fn calls_are_shown_from_the_first_one_on() {
        let trace = QuantumTrace {
            target: Nanos::from_micros(155),
            starts: (0..10).map(|at| Ticks(7_000 + at * 150_000_000)).collect(),
            lengths: (0..10).map(|at| Ticks(155_000 + at)).collect(),
        };
        for view in [View::First, View::FirstNarrow, View::Later] {
            let text = calls("a", &trace, TickRate(1e9), view);
            assert!(text.contains("</svg>") && !text.contains("NaN"), "{text}");
        }
        let empty = QuantumTrace { target: Nanos(1), starts: Vec::new(), lengths: Vec::new() };
        assert!(calls("a", &empty, TickRate(1e9), View::Later).contains("</svg>"));
    }

    #[test]
    fn the_narrow_view_leaves_out_the_longest_and_what_other_programs_took() {
        let points =
            |length: fn(u32) -> f64| (0..1000).map(|at| (f64::from(at), length(at))).collect::<Vec<_>>();
        let quiet = points(|at| if at % 200 == 0 { 140.0 } else { 100.0 });
        assert_eq!(high(&quiet), 100.0);
        let shared = points(|at| if at % 20 == 0 { 4000.0 } else { 100.0 });
        assert_eq!(high(&shared), 150.0);
        assert_eq!(high(&[]), f64::INFINITY);
    }

    #[test]
    fn the_model_and_the_formulas_are_drawn_from_three_nodes_and_from_t_c() {
        let point = |nodes, iteration_ns: f64| LabNoisePoint {
            nodes,
            iteration_ns,
            half_ns: 1.0,
            over_three_ns: iteration_ns - 80_000.0,
            over_three_half_ns: 1.0,
            replicas: 16,
            closed_ns: iteration_ns + 500.0,
            closed_over_three_ns: iteration_ns - 79_500.0,
        };
        let curve = LabNoiseCurve {
            shape: "line".to_owned(),
            points: vec![point(1, 70_000.0), point(3, 80_000.0), point(9, 95_000.0)],
        };
        let figure = LabNoiseFigure {
            number: 3,
            call_ns: 75_000,
            sources: Vec::new(),
            origin: String::new(),
            preset: "fig3".to_owned(),
            curves: vec![curve],
        };
        let text = delay(&figure);
        assert_eq!(text.matches("<polyline").count(), 4, "two curves and the legend: {text}");
        assert!(text.contains("formulas") && text.contains(">15<") && !text.contains(">16<"), "{text}");
        let text = dimensions(&figure);
        assert!(text.contains(">75 us<") && !text.contains(">0 us<") && !text.contains("NaN"), "{text}");
    }
}
