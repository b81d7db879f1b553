//! Pictures as SVG and pages as HTML: the same values give the same bytes.
//!
//! Every picture has a light and a dark version, chosen by the reader's preference, and distinguishes things by shape
//! and words, never by colour alone.
//!
//! # Files
//!
//! Pictures and pages, from values alone. `svg.rs` is the paper: marks, colours, and the look in light and dark, the
//! same for all. `frame.rs` has the axes of `line.rs` and `scatter.rs`, `strip.rs` a row of dots for each series,
//! `timeline.rs` timelines, `nested.rs` boxes in boxes, `page.rs` one page with headings, tables and pictures. Markup
//! goes through `maud`, which escapes it.

#![forbid(unsafe_code)]

mod frame;
mod line;
mod nested;
mod page;
mod scale;
mod scatter;
mod strip;
mod svg;
mod timeline;

pub use frame::Axis;
pub use line::{LinePlot, LineSeries};
pub use nested::{Look, Nested, NestedBox, text_width};
pub use page::Page;
pub use scale::{Scale, Unit};
pub use scatter::{ScatterPlot, ScatterSeries};
pub use strip::{StripPlot, StripRow};
pub use svg::Svg;
pub use timeline::{Stay, Timeline, TimelineBlock, TimelineRow};

/// Returns a text without control characters, which XML does not allow.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
