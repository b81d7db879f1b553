//! Scatter plots of very many values: several values at one place are drawn as one mark.

use crate::frame::{Axis, Frame, INNER_WIDTH};
use std::collections::BTreeSet;

const PLOT: f64 = 260.0;
/// Values nearer than this to each other, in units of the picture, are one mark.
const CELL: f64 = 1.5;

/// A picture of many values, each a mark.
#[derive(Clone, Debug, PartialEq)]
pub struct ScatterPlot {
    /// What it is about.
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    /// The values. Those outside an axis whose ticks the caller chose are left out.
    pub series: Vec<ScatterSeries>,
}

/// Values of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct ScatterSeries {
    pub label: String,
    /// The values.
    pub points: Vec<(f64, f64)>,
}

impl ScatterPlot {
    pub fn draw(&self) -> String {
        let points = || self.series.iter().flat_map(|series| series.points.iter().copied());
        let mut frame = Frame::draw(
            &self.title,
            PLOT,
            self.series.len(),
            (&self.x, points().map(|point| point.0)),
            (&self.y, points().map(|point| point.1)),
        );
        // The last series, usually "all others", is drawn first, behind the rest.
        for (at, series) in self.series.iter().enumerate().rev() {
            let marks = marks(&frame, &series.points);
            frame.svg.marks(at, &marks, &series.label);
            let (left, row) = frame.legend(at);
            let sample: Vec<(f64, f64)> = (0..4).map(|step| (left + 9.0 * f64::from(step), row)).collect();
            frame.svg.marks(at, &sample, &series.label);
            frame.svg.text(left + 46.0, row + 4.0, "label", &series.label);
        }
        frame.svg.finish()
    }
}

/// Returns the places of the picture that have a value.
fn marks(frame: &Frame, points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut cells = BTreeSet::new();
    for (x, y) in points {
        let (right, up) = (frame.x.place(*x), frame.y.place(*y));
        // NaN is in no range.
        if (0.0..=INNER_WIDTH).contains(&right) && (0.0..=PLOT).contains(&up) {
            cells.insert(((right / CELL).round() as i32, (up / CELL).round() as i32));
        }
    }
    let place = |cell: i32| f64::from(cell) * CELL;
    cells.into_iter().map(|(right, up)| frame.paper((place(right), place(up)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Unit;

    fn plot(points: Vec<(f64, f64)>) -> ScatterPlot {
        ScatterPlot {
            title: "a".to_owned(),
            x: Axis::new("time", Unit::TIME_NS),
            y: Axis {
                ticks: vec![(0.0, "1 us".to_owned()), (1.0, "10 us".to_owned())],
                ..Axis::new("length", &[])
            },
            series: vec![ScatterSeries { label: "1000 Hz <1>".to_owned(), points }],
        }
    }

    #[test]
    fn values_at_one_place_are_one_mark_and_those_beyond_none() {
        let near = plot(vec![(0.0, 0.0), (1.0, 0.0001), (1e9, 1.0), (5e8, 2.0), (5e8, f64::NAN)]).draw();
        let far = plot(vec![(0.0, 0.0), (1e9, 1.0)]).draw();
        assert_eq!(near, far);
        assert!(
            near.contains("1000 Hz &lt;1&gt;") && near.contains("time in s") && !near.contains("NaN"),
            "{near}"
        );
    }

    #[test]
    fn nothing_to_draw_is_drawn_all_the_same() {
        let text = plot(Vec::new()).draw();
        assert!(text.contains("</svg>") && !text.contains("NaN"), "{text}");
    }
}
