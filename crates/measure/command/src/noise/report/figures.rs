//! The pictures of one CPU: durations of equal work, detours over time, and how long they are.

use model::Reading;
use noise::sources::Decomposition;
use noise::{CpuProfile, GapTrace, QuantumTrace, TickRate};
use plot::{Axis, LinePlot, LineSeries, ScatterPlot, ScatterSeries, Unit};

/// The article's first figure shows the first second.
const FIRST_NS: f64 = 1e9;
/// The narrow view leaves out the longest thousandth, or all else would be one line.
const NARROW_PART: f64 = 0.999;
/// Sources with a series of their own; the others are one.
const SERIES_MAX: usize = 5;
/// Bars of the histogram to a factor of ten.
const BARS_PER_DECADE: f64 = 10.0;
/// Times in units of which the usual ones are a few.
const MICROSECONDS: &[Unit] = &[Unit { name: "us", size: 1e3 }];
const MILLISECONDS: &[Unit] = &[Unit { name: "ms", size: 1e6 }, Unit { name: "s", size: 1e9 }];

/// A picture and what it shows.
pub struct Figure {
    pub svg: String,
    pub caption: String,
}

/// Draws what was measured on one CPU.
pub fn of_cpu(cpu: &CpuProfile, found: Option<&Decomposition>, rate: TickRate) -> Vec<Figure> {
    let mut figures = Vec::new();
    if let Reading::Known(quanta) = &cpu.quanta {
        figures.extend(durations(cpu.cpu.0, quanta, rate));
    }
    if let (Reading::Known(gaps), Some(found)) = (&cpu.gaps, found) {
        figures.push(detours(cpu.cpu.0, gaps, found, rate));
        figures.push(histogram(cpu.cpu.0, gaps, rate));
    }
    figures
}

fn durations(cpu: u32, quanta: &QuantumTrace, rate: TickRate) -> Vec<Figure> {
    let points: Vec<(f64, f64)> = quanta
        .starts
        .iter()
        .zip(&quanta.lengths)
        .map(|(start, length)| (rate.nanos(*start), rate.nanos(*length)))
        .collect();
    if points.is_empty() {
        return Vec::new();
    }
    let mut lengths: Vec<f64> = points.iter().map(|point| point.1).collect();
    lengths.sort_by(f64::total_cmp);
    let count = lengths.len();
    let high = lengths[((count - 1) as f64 * NARROW_PART) as usize];
    let begin = points[0].0;
    let first: Vec<_> =
        points.iter().map(|(at, length)| (at - begin, *length)).filter(|(at, _)| *at < FIRST_NS).collect();
    let narrow: Vec<_> = points
        .iter()
        .map(|(at, length)| (at - begin, *length))
        .filter(|(_, length)| *length <= high)
        .collect();
    let plot = |title: String, points| {
        let series = vec![ScatterSeries {
            label: "each mark is one call of a function that does the same work".to_owned(),
            points,
        }];
        ScatterPlot {
            title,
            x: Axis::new("time", MILLISECONDS),
            y: Axis::new("duration of a call", MICROSECONDS),
            series,
        }
        .draw()
    };
    let target_us = quanta.target.0 as f64 / 1e3;
    vec![
        Figure {
            svg: plot(format!("CPU {cpu}: calls of {target_us:.0} us in the first second"), first),
            caption: "The article's figure 1. Calls that are slower only in the first quarter of a second show the \
                      processor's frequency rising."
                .to_owned(),
        },
        Figure {
            svg: plot(format!("CPU {cpu}: all {count} calls, the longest 0.1 % left out"), narrow),
            caption: "The article's figure 2. Each level above the lowest is a source of noise: how high it is above \
                      the lowest is how long its detours are."
                .to_owned(),
        },
    ]
}

fn detours(cpu: u32, gaps: &GapTrace, found: &Decomposition, rate: TickRate) -> Figure {
    let mut series_of = vec![usize::MAX; gaps.detours.len()];
    let shown: Vec<usize> = (0..found.periodic.len())
        .filter(|at| found.periodic[*at].rides_on.is_none())
        .take(SERIES_MAX)
        .collect();
    for (at, source) in shown.iter().enumerate() {
        for member in &found.periodic[*source].members {
            series_of[*member] = at;
        }
    }
    let mut series: Vec<ScatterSeries> = shown
        .iter()
        .map(|source| {
            let source = &found.periodic[*source];
            let label = format!("{:.2} Hz, {:.2} us", source.frequency_hz, source.lengths.median_ns / 1e3);
            ScatterSeries { label, points: Vec::new() }
        })
        .collect();
    series.push(ScatterSeries { label: "all others".to_owned(), points: Vec::new() });
    let last = series.len() - 1;
    for (detour, at) in gaps.detours.iter().zip(series_of) {
        let length = rate.nanos(detour.length).max(1.0);
        series[at.min(last)].points.push((rate.nanos(detour.start), length.log10()));
    }
    let lengths = series.iter().flat_map(|series| series.points.iter().map(|point| point.1));
    let ticks = decades(lengths);
    Figure {
        svg: ScatterPlot {
            title: format!("CPU {cpu}: every detour, by its source"),
            x: Axis::new("time", MILLISECONDS),
            y: Axis { ticks, ..Axis::new("length of a detour", &[]) },
            series,
        }
        .draw(),
        caption: "Sources that come periodically have marks of their own shape and colour.".to_owned(),
    }
}

fn histogram(cpu: u32, gaps: &GapTrace, rate: TickRate) -> Figure {
    let logs: Vec<f64> =
        gaps.detours.iter().map(|detour| rate.nanos(detour.length).max(1.0).log10()).collect();
    let ticks = decades(logs.iter().copied());
    let (low, high) = (ticks[0].0, ticks[ticks.len() - 1].0);
    let mut bars = vec![0_u64; ((high - low) * BARS_PER_DECADE).ceil().max(1.0) as usize];
    for log in logs {
        let at = ((log - low) * BARS_PER_DECADE) as usize;
        let last = bars.len() - 1;
        bars[at.min(last)] += 1;
    }
    let up = |count: u64| (1.0 + count as f64).log10();
    let points = bars.iter().enumerate().flat_map(|(at, count)| {
        let from = low + at as f64 / BARS_PER_DECADE;
        [(from, up(*count)), (from + 1.0 / BARS_PER_DECADE, up(*count))]
    });
    let most = bars.iter().copied().max().unwrap_or(0).max(1);
    let top = (most as f64).log10().ceil() as u32;
    let counts = std::iter::once(0).chain((0..=top).map(|power| 10_u64.pow(power)));
    LinePlotOf { cpu, ticks, counts: counts.map(|count| (up(count), count.to_string())).collect() }
        .draw(points.collect())
}

struct LinePlotOf {
    cpu: u32,
    ticks: Vec<(f64, String)>,
    counts: Vec<(f64, String)>,
}

impl LinePlotOf {
    fn draw(self, points: Vec<(f64, f64)>) -> Figure {
        Figure {
            svg: LinePlot {
                title: format!("CPU {}: how long detours are", self.cpu),
                x: Axis { ticks: self.ticks, ..Axis::new("length of a detour", &[]) },
                y: Axis { ticks: self.counts, ..Axis::new("how many", &[]) },
                series: vec![LineSeries {
                    label: "detours, ten steps to a factor of ten".to_owned(),
                    points,
                }],
            }
            .draw(),
            caption: "A source whose detours always take the same time is a peak.".to_owned(),
        }
    }
}

/// Ticks at powers of ten around logarithms of ns.
fn decades(logs: impl Iterator<Item = f64>) -> Vec<(f64, String)> {
    let (low, high) =
        logs.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), log| (low.min(log), high.max(log)));
    let (low, high) = if low > high { (2, 4) } else { (low.floor() as i32, high.ceil() as i32) };
    (low..=high.max(low + 1))
        .map(|power| {
            let name = match power.div_euclid(3) {
                ..=0 => format!("{} ns", 10_i64.pow(power.max(0) as u32)),
                1 => format!("{} us", 10_i64.pow(power as u32 - 3)),
                2 => format!("{} ms", 10_i64.pow(power as u32 - 6)),
                _ => format!("{} s", 10_i64.pow(power as u32 - 9)),
            };
            (f64::from(power), name)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{CpuId, Nanos};
    use noise::Ticks;
    use noise::sources::decompose;
    use noise::synthetic::{Comb, Recipe};

    #[test]
    fn every_source_has_its_marks() {
        let mut recipe = Recipe::quiet(2);
        recipe.combs = vec![Comb::new(1000.0, 6_300.0), Comb { phase: 0.1, ..Comb::new(100.0, 40_000.0) }];
        let trace = recipe.trace(1);
        let found = decompose(&trace, recipe.rate());
        let quanta = QuantumTrace {
            target: Nanos(155_000),
            starts: (0..100).map(|at| Ticks(at * 400_000)).collect(),
            lengths: (0..100).map(|at| Ticks(387_000 + at % 7)).collect(),
        };
        let cpu = CpuProfile { cpu: CpuId(3), quanta: Reading::Known(quanta), gaps: Reading::Known(trace) };
        let figures = of_cpu(&cpu, Some(&found), recipe.rate());
        assert_eq!(figures.len(), 4);
        let all: String = figures.iter().map(|figure| figure.svg.as_str()).collect();
        for expected in
            ["1000.00 Hz, 6.3", "100.00 Hz, 40.", "all others", "calls of 155 us", ">10 us<", ">1000<"]
        {
            assert!(all.contains(expected), "{expected}");
        }
        assert!(!all.contains("NaN"));
    }

    #[test]
    fn nothing_measured_is_no_picture() {
        let cpu = CpuProfile {
            cpu: CpuId(0),
            quanta: Reading::unavailable("not asked for"),
            gaps: Reading::unavailable("the CPU went offline"),
        };
        assert!(of_cpu(&cpu, None, Recipe::quiet(1).rate()).is_empty());
    }
}
