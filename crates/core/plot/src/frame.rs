//! What pictures over two axes share: title, grid, ticks, axis labels, and the positions of the legend's rows.

use crate::{Scale, Svg, Unit};

const WIDTH: f64 = 860.0;
const LEFT: f64 = 78.0;
const RIGHT: f64 = 24.0;
/// Title.
const HEAD: f64 = 48.0;
/// Ticks and name of the axis.
const AXIS: f64 = 52.0;
/// One series of the legend.
const LEGEND: f64 = 20.0;
const FOOT: f64 = 14.0;
/// How wide the part between the axes is.
pub(super) const INNER_WIDTH: f64 = WIDTH - LEFT - RIGHT;

#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What the values are, such as `latency`.
    pub quantity: String,
    /// The units in which they may be shown.
    pub units: &'static [Unit],
    /// Ticks chosen by the caller, from one end to the other, for values that are not in proportion; else empty.
    pub ticks: Vec<(f64, String)>,
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

/// A picture whose axes are drawn and to which the values are still to be added.
pub(super) struct Frame {
    pub svg: Svg,
    /// Converts values to distances from the left end.
    pub x: Scale,
    /// Converts values to distances from the lower end.
    pub y: Scale,
    bottom: f64,
}

impl Frame {
    /// Draws the title and the axes, with `height` as the length of the vertical axis, and room for this many series in
    /// the legend.
    pub fn draw(
        title: &str,
        height: f64,
        series: usize,
        (x, x_values): (&Axis, impl Iterator<Item = f64>),
        (y, y_values): (&Axis, impl Iterator<Item = f64>),
    ) -> Self {
        let (x, x_ticks, x_name) = x.scale(x_values, INNER_WIDTH);
        let (y, y_ticks, y_name) = y.scale(y_values, height);
        let bottom = HEAD + height;
        let mut svg = Svg::new(WIDTH, bottom + AXIS + LEGEND * series as f64 + FOOT, title);
        svg.text(LEFT, 26.0, "title", title);
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
        Self { svg, x, y, bottom }
    }

    /// Returns the point of the picture at this distance to the right of and above the crossing of the axes.
    pub fn paper(&self, (right, up): (f64, f64)) -> (f64, f64) {
        (LEFT + right, self.bottom - up)
    }

    /// Returns the left end of a series' row in the legend.
    pub fn legend(&self, series: usize) -> (f64, f64) {
        (LEFT, self.bottom + AXIS + LEGEND * series as f64)
    }
}
