//! Line plots: curves over two axes.

use super::{Scale, Svg, Unit};

const WIDTH: f64 = 860.0;
const LEFT: f64 = 78.0;
const RIGHT: f64 = 24.0;
/// Title.
const HEAD: f64 = 48.0;
const PLOT: f64 = 300.0;
/// Ticks and name of the axis.
const AXIS: f64 = 52.0;
/// One series of the legend.
const LEGEND: f64 = 20.0;
/// A sample of a curve in the legend.
const SAMPLE: f64 = 44.0;
const FOOT: f64 = 14.0;

/// A picture of some curves.
#[derive(Clone, Debug, PartialEq)]
pub struct LinePlot {
    /// What it is about.
    pub title: String,
    /// What goes to the right.
    pub x: Axis,
    /// What goes up; 0 is always on it.
    pub y: Axis,
    /// The curves.
    pub series: Vec<LineSeries>,
}

/// An axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What the values are, such as `latency`.
    pub quantity: String,
    /// The units in which they may be shown.
    pub units: &'static [Unit],
    /// Ticks of the caller's, from one end to the other, where the values are not in proportion; else none.
    pub ticks: Vec<(f64, String)>,
}

/// One curve.
#[derive(Clone, Debug, PartialEq)]
pub struct LineSeries {
    /// What it is.
    pub label: String,
    /// Its points, in order; where x and y are not numbers the curve has a gap.
    pub points: Vec<(f64, f64)>,
}

impl Axis {
    /// Makes an axis whose ticks follow from the values.
    pub fn new(quantity: &str, units: &'static [Unit]) -> Self {
        Self { quantity: quantity.to_owned(), units, ticks: Vec::new() }
    }

    pub(super) fn scale(
        &self,
        values: impl Iterator<Item = f64>,
        length: f64,
    ) -> (Scale, Vec<(f64, String)>, String) {
        match (self.ticks.first(), self.ticks.last()) {
            (Some((low, _)), Some((high, _))) if low < high => {
                (Scale::between(*low, *high, length), self.ticks.clone(), self.quantity.clone())
            }
            _ => {
                let scale = Scale::around(values, self.units, length);
                let ticks = scale.ticks();
                let name = match scale.unit().name {
                    "" => self.quantity.clone(),
                    unit => format!("{} in {unit}", self.quantity),
                };
                (scale, ticks, name)
            }
        }
    }
}

impl LinePlot {
    /// Draws it.
    pub fn draw(&self) -> String {
        let height = HEAD + PLOT + AXIS + LEGEND * self.series.len() as f64 + FOOT;
        let mut svg = Svg::new(WIDTH, height, &self.title);
        svg.text(LEFT, 26.0, "title", &self.title);
        let points = || self.series.iter().flat_map(|series| series.points.iter().copied());
        let (x, x_ticks, x_name) = self.x.scale(points().map(|point| point.0), WIDTH - LEFT - RIGHT);
        // Where nothing is above 0, the axis still has a length.
        let top = if points().any(|point| point.1 > 0.0) { 0.0 } else { 1.0 };
        let (y, y_ticks, y_name) = self.y.scale(points().map(|point| point.1).chain([0.0, top]), PLOT);
        let bottom = HEAD + PLOT;
        let place = |(at_x, at_y): (f64, f64)| (LEFT + x.place(at_x), bottom - y.place(at_y));
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
        for (at, series) in self.series.iter().enumerate() {
            for part in series.points.split(|(x, y)| !x.is_finite() || !y.is_finite()) {
                let placed: Vec<_> = part.iter().copied().map(place).collect();
                if !placed.is_empty() {
                    svg.curve(at, &placed, &series.label);
                }
            }
            let row = bottom + AXIS + LEGEND * at as f64;
            svg.curve(at, &[(LEFT, row), (LEFT + SAMPLE, row)], &series.label);
            svg.text(LEFT + SAMPLE + 10.0, row + 4.0, "label", &series.label);
        }
        svg.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert!(text.contains("points=\"78.0,348.0 836.0,48.0\""), "{text}");
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
        assert!(text.contains("99 %") && text.contains("836.0,48.0") && !text.contains("NaN"), "{text}");
    }

    #[test]
    fn nothing_to_draw_is_drawn_all_the_same() {
        let text = plot(Vec::new()).draw();
        assert!(text.contains("</svg>") && !text.contains("NaN"), "{text}");
    }
}
