//! Scatter plots of very many values: each place of the paper is drawn once.

use super::{Axis, Svg};
use std::collections::BTreeSet;

const WIDTH: f64 = 860.0;
const LEFT: f64 = 78.0;
const RIGHT: f64 = 24.0;
/// Title.
const HEAD: f64 = 48.0;
const PLOT: f64 = 260.0;
/// Ticks and name of the axis.
const AXIS: f64 = 52.0;
/// One series of the legend.
const LEGEND: f64 = 20.0;
const FOOT: f64 = 14.0;
/// Values nearer than this to each other, in units of the picture, are one mark.
const CELL: f64 = 1.5;

/// A picture of many values, each a mark.
#[derive(Clone, Debug, PartialEq)]
pub struct ScatterPlot {
    /// What it is about.
    pub title: String,
    /// What goes to the right.
    pub x: Axis,
    /// What goes up.
    pub y: Axis,
    /// The values. Those that are beyond an axis with ticks of the caller's are left out.
    pub series: Vec<ScatterSeries>,
}

/// Values of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct ScatterSeries {
    /// What they are.
    pub label: String,
    /// The values.
    pub points: Vec<(f64, f64)>,
}

impl ScatterPlot {
    /// Draws it.
    pub fn draw(&self) -> String {
        let height = HEAD + PLOT + AXIS + LEGEND * self.series.len() as f64 + FOOT;
        let mut svg = Svg::new(WIDTH, height, &self.title);
        svg.text(LEFT, 26.0, "title", &self.title);
        let points = || self.series.iter().flat_map(|series| series.points.iter().copied());
        let width = WIDTH - LEFT - RIGHT;
        let (x, x_ticks, x_name) = self.x.scale(points().map(|point| point.0), width);
        let (y, y_ticks, y_name) = self.y.scale(points().map(|point| point.1), PLOT);
        let bottom = HEAD + PLOT;
        for (value, label) in y_ticks {
            let up = bottom - y.place(value);
            svg.line("grid", (LEFT, up), (WIDTH - RIGHT, up));
            svg.text(LEFT - 8.0, up + 4.0, "small end", &label);
        }
        for (value, label) in x_ticks {
            let right = LEFT + x.place(value);
            svg.line("grid", (right, HEAD), (right, bottom));
            svg.text(right, bottom + 18.0, "small middle", &label);
        }
        svg.line("axis", (LEFT, bottom), (WIDTH - RIGHT, bottom));
        svg.line("axis", (LEFT, HEAD), (LEFT, bottom));
        svg.text(LEFT, HEAD - 8.0, "small", &y_name);
        svg.text((LEFT + WIDTH - RIGHT) / 2.0, bottom + 38.0, "label middle", &x_name);
        // The last series, mostly all others, lies behind the first ones.
        for (at, series) in self.series.iter().enumerate().rev() {
            let mut cells = BTreeSet::new();
            for (at_x, at_y) in &series.points {
                let (right, up) = (x.place(*at_x), y.place(*at_y));
                // Not a number is in no range.
                if (0.0..=width).contains(&right) && (0.0..=PLOT).contains(&up) {
                    cells.insert(((right / CELL).round() as i32, (up / CELL).round() as i32));
                }
            }
            let place = |cell: f64| cell * CELL;
            let marks: Vec<(f64, f64)> = cells
                .into_iter()
                .map(|(right, up)| (LEFT + place(right.into()), bottom - place(up.into())))
                .collect();
            svg.marks(at, &marks, &series.label);
            let row = bottom + AXIS + LEGEND * at as f64;
            let sample: Vec<(f64, f64)> = (0..4).map(|step| (LEFT + 9.0 * f64::from(step), row)).collect();
            svg.marks(at, &sample, &series.label);
            svg.text(LEFT + 46.0, row + 4.0, "label", &series.label);
        }
        svg.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::Unit;

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
