//! The ladder as a chart.

use documents::StreamSolverTimes;
use plot::{Axis, LinePlot, LineSeries, Unit};
use stream_rules::Instructions;
use stream_rules::solve::Method;

/// Draws the medians, each line on the axis ten times the one below.
pub fn draw(ladder: &[StreamSolverTimes]) -> String {
    let mut x = Axis::new("method", Unit::COUNT);
    x.ticks =
        Method::LADDER.iter().enumerate().map(|(at, method)| (at as f64, method.name().to_owned())).collect();
    // Room for the last name.
    x.ticks.push((Method::LADDER.len() as f64 - 0.5, String::new()));
    let mut y = Axis::new("time for a digit", Unit::COUNT);
    y.ticks = ["1 ns", "10 ns", "100 ns", "1 us", "10 us", "100 us", "1 ms"]
        .iter()
        .enumerate()
        .map(|(power, name)| (power as f64, (*name).to_owned()))
        .collect();
    let best = Instructions::best();
    let all = [Instructions::Avx512, Instructions::Avx2, Instructions::Portable];
    let series = all.into_iter().filter(|with| with.is_there()).map(|with| {
        let point = |(at, method): (usize, &Method)| {
            let of_it = |times: &&StreamSolverTimes| {
                let instructions = times.instructions.as_deref();
                times.method == method.name() && instructions.map_or(with == best, |its| its == with.name())
            };
            let median = ladder.iter().find(of_it).map_or(f64::NAN, |times| times.ns_per_digit);
            (at as f64, median.log10())
        };
        LineSeries {
            label: with.name().to_owned(),
            points: Method::LADDER.iter().enumerate().map(point).collect(),
        }
    });
    let series = series.collect();
    LinePlot { title: "The ladder of solvers: time for a digit".to_owned(), x, y, series }.draw()
}
