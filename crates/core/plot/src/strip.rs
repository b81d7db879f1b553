//! Strip plots: every value of a series is a dot, and each series is a row.

use crate::{Scale, Svg, Unit};

const WIDTH: f64 = 860.0;
const MARGIN: f64 = 30.0;
/// Room for the title and the quantity.
const HEAD: f64 = 58.0;
/// Height of a row; its label is above its dots.
const ROW: f64 = 84.0;
const LABEL: f64 = 22.0;
/// How far dots may lie from the middle of their row, so that equal values stay visible.
const STRAY: f64 = 20.0;
const FOOT: f64 = 78.0;
/// How many characters of a label fit into the width of a row.
const LABEL_CHARACTERS_MAX: usize = 110;

/// A picture of some series.
#[derive(Clone, Debug, PartialEq)]
pub struct StripPlot {
    /// What it is about.
    pub title: String,
    /// What the values are, such as `CPU time`.
    pub quantity: String,
    /// The units in which they may be shown.
    pub units: &'static [Unit],
    /// What a dot stands for, such as `a run`.
    pub dot: &'static str,
    /// What a diamond stands for, such as [`Self::APART`].
    pub diamond: &'static str,
    pub rows: Vec<StripRow>,
}

/// One series.
#[derive(Clone, Debug, PartialEq)]
pub struct StripRow {
    pub label: String,
    /// Its values in the raw unit, in order.
    pub values: Vec<f64>,
    /// The outliers, each with its cause if known.
    pub odd: Vec<(usize, String)>,
    pub median: Option<f64>,
    /// The confidence interval of the median.
    pub median_range: Option<(f64, f64)>,
}

impl StripPlot {
    /// What a diamond usually stands for.
    pub const APART: &str = "an outlier";

    pub fn draw(&self) -> String {
        let height = HEAD + ROW * self.rows.len().max(1) as f64 + FOOT;
        let mut svg = Svg::new(WIDTH, height, &self.title);
        let values = self.rows.iter().flat_map(|row| row.values.iter().copied());
        let scale = Scale::around(values, self.units, WIDTH - 2.0 * MARGIN);
        svg.text(MARGIN, 28.0, "title", &self.title);
        let bottom = height - FOOT;
        for (value, label) in scale.ticks() {
            let x = MARGIN + scale.place(value);
            svg.line("grid", (x, HEAD - 10.0), (x, bottom));
            svg.text(x, bottom + 18.0, "small middle", &label);
        }
        svg.line("axis", (MARGIN, bottom), (WIDTH - MARGIN, bottom));
        let axis = format!("{} in {}", self.quantity, scale.unit().name);
        svg.text(WIDTH / 2.0, bottom + 38.0, "label middle", &axis);
        for (at, row) in self.rows.iter().enumerate() {
            row.draw(&mut svg, at, HEAD + ROW * at as f64, &scale);
        }
        let has_range = self.rows.iter().any(|row| row.median_range.is_some());
        let mut legend = format!("each dot is {}; upright line: median", self.dot);
        if has_range {
            legend.push_str(", shaded: its 95 % confidence interval");
        }
        if self.rows.iter().any(|row| !row.odd.is_empty()) {
            legend.push_str(&format!("; diamond: {}", self.diamond));
        }
        svg.text(MARGIN, height - 14.0, "small", &legend);
        svg.finish()
    }
}

impl StripRow {
    fn draw(&self, svg: &mut Svg, series: usize, top: f64, scale: &Scale) {
        let place = |value: f64| MARGIN + scale.place(value);
        svg.text(MARGIN, top + 10.0, "label", &shortened(&self.label));
        let middle = top + LABEL + (ROW - LABEL) / 2.0;
        let (above, below) = (middle - STRAY - 5.0, middle + STRAY + 5.0);
        if let Some((low, high)) = self.median_range {
            svg.band(series, (place(low), above), (place(high), below));
        }
        for (at, value) in self.values.iter().enumerate() {
            let (x, y) = (place(*value), middle + stray(at) * STRAY);
            match self.odd.iter().find(|(odd, _)| *odd == at) {
                Some((_, why)) => svg.diamond(series, x, y, &format!("run {}: {why}", at + 1)),
                None => svg.point(series, x, y, &format!("run {}", at + 1)),
            }
        }
        if let Some(median) = self.median {
            svg.line("mark", (place(median), above), (place(median), below));
        }
    }
}

/// Returns a number from -1 to 1 that depends only on the index: multiples of the golden ratio fill a range evenly from
/// the first on.
fn stray(index: usize) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    (index as f64 * GOLDEN).fract() * 2.0 - 1.0
}

fn shortened(label: &str) -> String {
    if label.chars().count() <= LABEL_CHARACTERS_MAX {
        return label.to_owned();
    }
    label.chars().take(LABEL_CHARACTERS_MAX - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot() -> StripPlot {
        StripPlot {
            title: "sort".to_owned(),
            quantity: "CPU time".to_owned(),
            units: Unit::TIME_NS,
            dot: "a run",
            diamond: StripPlot::APART,
            rows: vec![StripRow {
                label: "./sort <1>".to_owned(),
                values: vec![10e6, 11e6, 20e6],
                odd: vec![(2, "none seen".to_owned())],
                median: Some(11e6),
                median_range: Some((10e6, 20e6)),
            }],
        }
    }

    #[test]
    fn a_row_has_a_point_for_each_value_and_a_diamond_for_the_odd_one() {
        let text = plot().draw();
        assert_eq!(text, plot().draw(), "the same values give the same bytes");
        let body = text.split("</style>").nth(1).unwrap();
        insta::assert_snapshot!(body, @r#"
        <rect class="paper" width="100%" height="100%"></rect>
        <text class="title" x="30" y="28">sort</text>
        <line class="grid" x1="30" y1="48" x2="30" y2="142"></line>
        <text class="small middle" x="30" y="160">10</text>
        <line class="grid" x1="190" y1="48" x2="190" y2="142"></line>
        <text class="small middle" x="190" y="160">12</text>
        <line class="grid" x1="350" y1="48" x2="350" y2="142"></line>
        <text class="small middle" x="350" y="160">14</text>
        <line class="grid" x1="510" y1="48" x2="510" y2="142"></line>
        <text class="small middle" x="510" y="160">16</text>
        <line class="grid" x1="670" y1="48" x2="670" y2="142"></line>
        <text class="small middle" x="670" y="160">18</text>
        <line class="grid" x1="830" y1="48" x2="830" y2="142"></line>
        <text class="small middle" x="830" y="160">20</text>
        <line class="axis" x1="30" y1="142" x2="830" y2="142"></line>
        <text class="label middle" x="430" y="180">CPU time in ms</text>
        <text class="label" x="30" y="68">./sort &lt;1&gt;</text>
        <rect class="band s0" x="30" y="86" width="800" height="50"></rect>
        <circle class="point s0" cx="30" cy="91" r="3.5"><title>run 1</title></circle>
        <circle class="point s0" cx="110" cy="115.7" r="3.5"><title>run 2</title></circle>
        <path class="odd o0" d="M830 94.4l6 6l-6 6l-6 -6z"><title>run 3: none seen</title></path>
        <line class="mark" x1="110" y1="86" x2="110" y2="136"></line>
        <text class="small" x="30" y="206">each dot is a run; upright line: median, shaded: its 95 % confidence interval; diamond: an outlier</text>
        </svg>
        "#);
    }

    #[test]
    fn points_stray_evenly_and_labels_are_cut() {
        let strays: Vec<f64> = (0..100).map(stray).collect();
        assert!(strays.iter().all(|stray| (-1.0..1.0).contains(stray)));
        for tenth in 0..10 {
            let low = -1.0 + 0.2 * f64::from(tenth);
            let count = strays.iter().filter(|stray| (low..low + 0.2).contains(*stray)).count();
            assert!((9..=11).contains(&count), "{tenth}: {count}");
        }
        assert_eq!(shortened(&"x".repeat(300)).chars().count(), LABEL_CHARACTERS_MAX);
    }

    #[test]
    fn nothing_to_draw_is_drawn_all_the_same() {
        let text = StripPlot { rows: Vec::new(), ..plot() }.draw();
        assert!(text.contains("</svg>") && !text.contains("NaN"), "{text}");
    }
}
