//! Line plots: curves over two axes.

use crate::frame::{Axis, Frame};

const PLOT: f64 = 300.0;
/// Length of a curve's sample in the legend.
const SAMPLE: f64 = 44.0;

/// A picture of some curves.
#[derive(Clone, Debug, PartialEq)]
pub struct LinePlot {
    /// What it is about.
    pub title: String,
    pub x: Axis,
    /// The vertical axis, which always includes 0.
    pub y: Axis,
    pub series: Vec<LineSeries>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LineSeries {
    pub label: String,
    /// Its points, in order; the curve has a gap where x or y is NaN.
    pub points: Vec<(f64, f64)>,
}

impl LinePlot {
    pub fn draw(&self) -> String {
        let points = || self.series.iter().flat_map(|series| series.points.iter().copied());
        // Where nothing is above 0, the axis still has a length.
        let top = if points().any(|point| point.1 > 0.0) { 0.0 } else { 1.0 };
        let mut frame = Frame::draw(
            &self.title,
            PLOT,
            self.series.len(),
            (&self.x, points().map(|point| point.0)),
            (&self.y, points().map(|point| point.1).chain([0.0, top])),
        );
        for (at, series) in self.series.iter().enumerate() {
            for part in series.points.split(|(x, y)| !x.is_finite() || !y.is_finite()) {
                let place = |(x, y): &(f64, f64)| frame.paper((frame.x.place(*x), frame.y.place(*y)));
                let placed: Vec<_> = part.iter().map(place).collect();
                if !placed.is_empty() {
                    frame.svg.curve(at, &placed, &series.label);
                }
            }
            let (left, row) = frame.legend(at);
            frame.svg.curve(at, &[(left, row), (left + SAMPLE, row)], &series.label);
            frame.svg.text(left + SAMPLE + 10.0, row + 4.0, "label", &series.label);
        }
        frame.svg.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Unit;

    fn plot(points: Vec<(f64, f64)>) -> LinePlot {
        LinePlot {
            title: "a".to_owned(),
            x: Axis::new("time", Unit::TIME_NS),
            y: Axis::new("messages", Unit::COUNT),
            series: vec![LineSeries { label: "pinned <1>".to_owned(), points }],
        }
    }

    #[test]
    fn a_curve_goes_from_corner_to_corner() {
        let text = plot(vec![(0.0, 0.0), (1e9, 10.0)]).draw();
        assert!(text.contains("points=\"78,348 836,48\""), "{text}");
        assert!(text.contains("time in s") && text.contains(">messages<"), "{text}");
        assert!(text.contains("pinned &lt;1&gt;"), "{text}");
        assert_eq!(text, plot(vec![(0.0, 0.0), (1e9, 10.0)]).draw(), "the same values give the same bytes");
    }

    #[test]
    fn gaps_and_own_ticks() {
        let gap = (f64::NAN, f64::NAN);
        let mut plot = plot(vec![(0.0, 5.0), gap, (1.0, 5.0), (2.0, 10.0)]);
        plot.x.ticks = vec![(0.0, "50 %".to_owned()), (2.0, "99 %".to_owned())];
        let text = plot.draw();
        assert_eq!(text.matches("<polyline").count(), 3, "two parts and the legend: {text}");
        assert!(text.contains("99 %") && text.contains("836,48") && !text.contains("NaN"), "{text}");
    }

    #[test]
    fn nothing_to_draw_is_drawn_all_the_same() {
        let text = plot(Vec::new()).draw();
        assert!(text.contains("</svg>") && !text.contains("NaN"), "{text}");
    }
}
