//! Boxes in boxes, each as large as what is in it.

use crate::{Svg, plain};

/// Wider than a character of any monospaced font at this size. All lengths are in units of the image, about a pixel
/// each.
const CHARACTER_WIDTH: u32 = 8;
const TITLE_HEIGHT: u32 = 20;
const CELL_HEIGHT: u32 = 22;
const PADDING: u32 = 8;
const GAP: u32 = 6;
const LEGEND_HEIGHT: u32 = 24;
const WIDTH_MIN: u32 = 400;
/// The desired ratio of width to height, about that of a page in landscape.
const ASPECT: f64 = 1.5;

/// A picture of boxes.
#[derive(Debug)]
pub struct Nested {
    /// Lines above the boxes; the first is the strongest.
    pub head: Vec<String>,
    /// The outermost boxes.
    pub boxes: Vec<NestedBox>,
    /// What each look means.
    pub legend: Vec<(Look, String)>,
}

/// The look of a box: its fill and its border.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// The fill, from 0; 0 is the background colour.
    pub tint: usize,
    /// The border: empty, `dashed` or `dotted`.
    pub border: &'static str,
}

/// A box with its size, and what is in it with its place.
#[derive(Debug)]
pub struct NestedBox {
    look: Look,
    title: String,
    width: u32,
    height: u32,
    inside: Vec<(u32, u32, NestedBox)>,
}

impl Nested {
    pub fn draw(self) -> String {
        let body = NestedBox::around(Look::default(), String::new(), self.boxes);
        let head_width = self.head.iter().map(|line| text_width(line)).max().unwrap_or(0);
        let width = body.width.max(head_width + 2 * PADDING).max(WIDTH_MIN);
        let body_top = TITLE_HEIGHT * self.head.len() as u32 + PADDING;
        let legend = placed(&self.legend, width);
        let legend_top = body_top + body.height;
        let legend_height = legend.last().map_or(0, |(_, y)| y + LEGEND_HEIGHT);
        let height = legend_top + legend_height + PADDING;
        let mut svg = Svg::new(f64::from(width), f64::from(height), &self.head.join(": "));
        for (line, text) in (1..).zip(&self.head) {
            let class = if line == 1 { "mono strong" } else { "mono" };
            svg.text(f64::from(PADDING), f64::from(line * TITLE_HEIGHT), class, text);
        }
        for (x, y, part) in &body.inside {
            part.write(&mut svg, *x, body_top + *y);
        }
        for ((look, text), (x, y)) in self.legend.iter().zip(legend) {
            let (x, y) = (f64::from(x), f64::from(legend_top + y));
            svg.tinted(look.tint, look.border, (x, y), (14.0, 14.0));
            svg.text(x + 20.0, y + 12.0, "mono", text);
        }
        svg.finish()
    }
}

impl NestedBox {
    /// Makes a box that has only a title.
    pub fn cell(look: Look, title: String, width: u32) -> Self {
        Self { look, title, width: width + 2 * PADDING, height: CELL_HEIGHT, inside: Vec::new() }
    }

    /// Arranges parts in rows, with the number of columns that yields the best shape.
    pub fn around(look: Look, title: String, parts: Vec<Self>) -> Self {
        let sizes: Vec<(u32, u32)> = parts.iter().map(|part| (part.width, part.height)).collect();
        let badness = |columns: usize| {
            let (widths, heights) = grid(&sizes, columns);
            let shape = f64::from(widths.iter().sum::<u32>()) / f64::from(heights.iter().sum::<u32>().max(1));
            let holes = (columns - sizes.len() % columns) % columns;
            // An empty cell costs more than a shape that is twice as wide.
            (shape / ASPECT).ln().abs() + 2.0 * holes as f64 / sizes.len() as f64
        };
        let columns = (1..=parts.len()).min_by(|one, two| badness(*one).total_cmp(&badness(*two)));
        Self::in_columns(look, title, parts, columns.unwrap_or(1))
    }

    /// Arranges parts in this many columns.
    pub fn in_columns(look: Look, title: String, parts: Vec<Self>, columns: usize) -> Self {
        let sizes: Vec<(u32, u32)> = parts.iter().map(|part| (part.width, part.height)).collect();
        let (widths, heights) = grid(&sizes, columns);
        let top = if title.is_empty() { PADDING } else { TITLE_HEIGHT + GAP };
        let place = |(at, part): (usize, Self)| {
            let (row, column) = (at / columns, at % columns);
            let x = PADDING + widths[..column].iter().map(|width| width + GAP).sum::<u32>();
            let y = top + heights[..row].iter().map(|height| height + GAP).sum::<u32>();
            (x, y, part)
        };
        let spread =
            |lengths: &[u32]| (lengths.iter().map(|length| length + GAP).sum::<u32>()).saturating_sub(GAP);
        let width = (spread(&widths) + 2 * PADDING).max(text_width(&title) + 2 * PADDING);
        let bottom = if parts.is_empty() { 0 } else { PADDING };
        let height = top + spread(&heights) + bottom;
        let inside = parts.into_iter().enumerate().map(place).collect();
        Self { look, title, width, height, inside }
    }

    fn write(&self, svg: &mut Svg, x: u32, y: u32) {
        let size = (f64::from(self.width), f64::from(self.height));
        svg.tinted(self.look.tint, self.look.border, (f64::from(x), f64::from(y)), size);
        if !self.title.is_empty() {
            svg.text(f64::from(x + PADDING), f64::from(y + 15), "mono", &self.title);
        }
        for (inner_x, inner_y, part) in &self.inside {
            part.write(svg, x + inner_x, y + inner_y);
        }
    }
}

/// Places the entries of a legend in as many lines as its width needs.
fn placed(legend: &[(Look, String)], width: u32) -> Vec<(u32, u32)> {
    let (mut x, mut y) = (PADDING, GAP);
    let place = |(_, text): &(Look, String)| {
        let item_width = 20 + text_width(text) + 2 * PADDING;
        if x > PADDING && x + item_width > width {
            (x, y) = (PADDING, y + LEGEND_HEIGHT);
        }
        let at = (x, y);
        x += item_width;
        at
    };
    legend.iter().map(place).collect()
}

/// Returns the widths of columns and the heights of rows.
fn grid(sizes: &[(u32, u32)], columns: usize) -> (Vec<u32>, Vec<u32>) {
    let mut widths = vec![0; columns.min(sizes.len())];
    let mut heights = vec![0; sizes.len().div_ceil(columns)];
    for (at, (width, height)) in sizes.iter().enumerate() {
        let (row, column) = (at / columns, at % columns);
        widths[column] = widths[column].max(*width);
        heights[row] = heights[row].max(*height);
    }
    (widths, heights)
}

/// Returns how wide a text is in a box.
pub fn text_width(text: &str) -> u32 {
    let characters = unicode_width::UnicodeWidthStr::width(plain(text).as_str());
    u32::try_from(characters).unwrap_or(u32::MAX / CHARACTER_WIDTH) * CHARACTER_WIDTH
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that texts and parts stay inside their box, and that parts do not overlap.
    fn check_room(drawn: &NestedBox) {
        assert!(text_width(&drawn.title) + PADDING <= drawn.width, "{} in {}", drawn.title, drawn.width);
        for (at, (x, y, part)) in drawn.inside.iter().enumerate() {
            assert!(x + part.width <= drawn.width && y + part.height <= drawn.height, "{}", part.title);
            for (other_x, other_y, other) in &drawn.inside[..at] {
                let apart = |start: u32, length: u32, other: u32, other_length: u32| {
                    start >= other + other_length || other >= start + length
                };
                assert!(
                    apart(*x, part.width, *other_x, other.width)
                        || apart(*y, part.height, *other_y, other.height),
                    "{} lies on {}",
                    part.title,
                    other.title
                );
            }
            check_room(part);
        }
    }

    #[test]
    fn everything_has_room_also_for_4096_cells() {
        for cores in [1, 2, 7, 128, 2048_u32] {
            let cell = |at: u32| NestedBox::cell(Look::default(), at.to_string(), text_width("4096"));
            let core = |at: u32| {
                NestedBox::in_columns(
                    Look::default(),
                    format!("core {at}"),
                    vec![cell(2 * at), cell(2 * at + 1)],
                    2,
                )
            };
            check_room(&NestedBox::around(
                Look::default(),
                "package 0".to_owned(),
                (0..cores).map(core).collect(),
            ));
        }
    }
}
