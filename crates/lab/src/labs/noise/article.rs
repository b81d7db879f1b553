//! What the article's figures of the model were made with, as far as its text says.

use noise::{Occurrence, Source};

/// How domains lie to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// On a line, each with two neighbours.
    Line,
    /// On a square, each with four.
    Square,
}

/// A curve of a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    /// How domains lie.
    pub shape: Shape,
    /// How many nodes.
    pub nodes: &'static [u32],
}

/// A figure that the model makes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// Its number.
    pub number: u32,
    /// What it shows.
    pub title: &'static str,
    /// `T_C` in us.
    pub call_us: u64,
    /// `T^S` in us, where the article gives it.
    pub message_us: Option<f64>,
    /// Frequency in Hz and length in us of each source.
    pub sources: &'static [(f64, f64)],
    /// Where the sources stand.
    pub origin: &'static str,
    /// Its curves.
    pub curves: &'static [Curve],
}

const LINE: Curve = Curve { shape: Shape::Line, nodes: &[1, 2, 3, 5, 10, 20, 50, 100, 150, 200, 250, 300] };
const SQUARES: &[u32] = &[4, 16, 36, 64, 100, 144, 256, 400, 625, 900];

/// The figures in their order.
pub const FIGURES: [Figure; 3] = [
    Figure {
        number: 3,
        title: "MVS-100K",
        call_us: 75,
        message_us: Some(7.0),
        sources: &[(1000.0, 3.0), (8.0, 580.0)],
        origin: "table 2, one core loaded; the text does not say with which sources the figure was made",
        curves: &[LINE],
    },
    Figure {
        number: 4,
        title: "NKS-30T",
        call_us: 80,
        message_us: None,
        sources: &[(1000.0, 13.0), (8.0, 160.0)],
        origin: "the formula of f in section 5, for the queue g7",
        curves: &[LINE],
    },
    Figure {
        number: 5,
        title: "one dimension and two",
        call_us: 100,
        message_us: None,
        sources: &[(1000.0, 1.0), (8.0, 100.0)],
        origin: "below the figure",
        curves: &[
            Curve { shape: Shape::Line, nodes: SQUARES },
            Curve { shape: Shape::Square, nodes: SQUARES },
        ],
    },
];

impl Figure {
    /// Gives its sources.
    pub fn noise(&self) -> Vec<Source> {
        let source = |(frequency_hz, length_us): &(f64, f64)| Source {
            occurrence: Occurrence::Periodic { frequency_hz: *frequency_hz },
            length_ns: length_us * 1e3,
        };
        self.sources.iter().map(source).collect()
    }
}

impl Shape {
    /// Gives the name that documents use.
    pub fn id(self) -> &'static str {
        match self {
            Self::Line => "line",
            Self::Square => "square",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_squares_and_differences_have_something_to_be_taken_from() {
        for figure in FIGURES {
            for curve in figure.curves {
                let side = |nodes: u32| f64::from(nodes).sqrt();
                assert!(
                    curve.shape == Shape::Line || curve.nodes.iter().all(|nodes| side(*nodes).fract() == 0.0)
                );
                assert!(figure.number == 5 || curve.nodes.contains(&3));
            }
        }
    }
}
