//! Pictures as SVG: the same values give the same bytes.
//!
//! Every picture has a light and a dark look, which follows what the reader prefers, and
//! tells things apart by shape and words, never by colour alone.

mod frame;
mod line;
mod scale;
mod scatter;
mod strip;
mod svg;

pub use frame::Axis;
pub use line::{LinePlot, LineSeries};
pub use scale::{Scale, Unit};
pub use scatter::{ScatterPlot, ScatterSeries};
pub use strip::{StripPlot, StripRow};
pub use svg::{PALETTE, Svg};
