//! Timelines: who uses which row at what time. Time goes to the right.

use crate::Svg;
use std::collections::BTreeMap;
use std::ops::Range;

const LEFT: f64 = 150.0;
const RIGHT: f64 = 24.0;
const PLOT: f64 = 900.0;
const HEAD: f64 = 20.0;
/// Height of a row with a name; with more than [`THICK_ROWS_MAX`] rows they are thin and have no names.
const ROW: f64 = 15.0;
const ROW_THIN: f64 = 5.0;
const THICK_ROWS_MAX: usize = 96;
const AXIS: f64 = 34.0;
const TICKS_MAX: u64 = 10;
/// Width of a letter of the labels.
const LETTER: f64 = 7.3;

/// A picture of who uses what over time.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// What it is about.
    pub title: String,
    /// Rows that belong together, from above.
    pub blocks: Vec<TimelineBlock>,
    /// The right end of the axis, which begins at 0.
    pub end: u64,
    /// Returns the text for a moment.
    pub moment: fn(u64) -> String,
    /// A sentence below the picture.
    pub note: String,
}

/// Rows with a common name.
#[derive(Clone, Debug, PartialEq)]
pub struct TimelineBlock {
    pub name: String,
    /// The rows, from above.
    pub rows: Vec<TimelineRow>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct TimelineRow {
    pub name: String,
    /// Whether it is not available to anybody.
    pub is_off: bool,
    /// Who uses it when, in order.
    pub stays: Vec<Stay>,
}

/// One period in which a row is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stay {
    pub who: String,
    pub from: u64,
    /// Its end.
    pub to: u64,
}

impl Timeline {
    /// Draws it. The same user has the same colour and pattern everywhere.
    pub fn draw(&self) -> String {
        let rows = || self.blocks.iter().flat_map(|block| &block.rows);
        let row = if rows().count() <= THICK_ROWS_MAX { ROW } else { ROW_THIN };
        let mut numbers: BTreeMap<&str, usize> =
            rows().flat_map(|row| &row.stays).map(|stay| (stay.who.as_str(), 0)).collect();
        numbers.values_mut().enumerate().for_each(|(number, entry)| *entry = number);
        let height = HEAD * (self.blocks.len() as f64 + 2.0) + row * rows().count() as f64 + AXIS;
        let mut svg = Svg::new(LEFT + PLOT + RIGHT, height, &self.title);
        let scale = PLOT / self.end.max(1) as f64;
        let x = |at: u64| LEFT + at as f64 * scale;
        let top = HEAD * 0.5;
        let mut y = top;
        for block in &self.blocks {
            svg.text(8.0, y + 14.0, "mono strong", &block.name);
            y += HEAD;
            for (at, place) in block.rows.iter().enumerate() {
                place.draw(&mut svg, y + row * at as f64, row);
            }
            for (rows, stay) in merged(&block.rows) {
                let at = (x(stay.from), y + row * rows.start as f64);
                let size = (x(stay.to) - at.0, row * rows.len() as f64 - 1.0);
                let (from, to) = ((self.moment)(stay.from), (self.moment)(stay.to));
                svg.block(numbers[stay.who.as_str()], at, size, &format!("{}: {from} to {to}", stay.who));
                if size.0 > stay.who.chars().count() as f64 * LETTER + 8.0 && size.1 >= 11.0 {
                    svg.text(at.0 + 4.0, at.1 + size.1 / 2.0 + 4.0, "mono halo", &stay.who);
                }
            }
            y += row * block.rows.len() as f64;
        }
        for tick in ticks(self.end) {
            svg.line("tick", (x(tick), top), (x(tick), y + 4.0));
            svg.text(x(tick), y + 18.0, "small middle", &(self.moment)(tick));
        }
        svg.text(8.0, y + AXIS + 8.0, "small", &self.note);
        svg.finish()
    }
}

impl TimelineRow {
    fn draw(&self, svg: &mut Svg, y: f64, row: f64) {
        let gap = if row > ROW_THIN { 1.0 } else { 0.0 };
        svg.rect(if self.is_off { "off" } else { "row" }, (LEFT, y), (PLOT, row - gap));
        if row > ROW_THIN {
            svg.text(16.0, y + row - 4.0, "mono small", &self.name);
        }
    }
}

/// Joins equal stays of neighbouring rows into one.
fn merged(rows: &[TimelineRow]) -> Vec<(Range<usize>, &Stay)> {
    let mut joined: Vec<(Range<usize>, &Stay)> = Vec::new();
    for (at, stay) in
        rows.iter().enumerate().flat_map(|(at, row)| row.stays.iter().map(move |stay| (at, stay)))
    {
        match joined.iter_mut().rev().find(|(rows, other)| rows.end == at && *other == stay) {
            Some((rows, _)) => rows.end = at + 1,
            None => joined.push((at..at + 1, stay)),
        }
    }
    joined
}

/// Returns some round numbers up to an end.
fn ticks(end: u64) -> Vec<u64> {
    let mut step = 1u64;
    for factor in [2u64, 5, 10].iter().cycle() {
        if end / step <= TICKS_MAX {
            break;
        }
        let decade = 10u64.pow(step.ilog10());
        step = decade.saturating_mul(*factor);
    }
    (0..=end).step_by(usize::try_from(step).unwrap_or(usize::MAX)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, stays: &[(&str, u64, u64)]) -> TimelineRow {
        let stays = stays.iter().map(|(who, from, to)| Stay { who: (*who).to_owned(), from: *from, to: *to });
        TimelineRow { name: name.to_owned(), is_off: name.ends_with("kept"), stays: stays.collect() }
    }

    #[test]
    fn equal_stays_of_neighbours_are_one() {
        let rows = [
            row("0", &[]),
            row("1", &[("a", 0, 5)]),
            row("2", &[("a", 0, 5)]),
            row("3", &[("b", 3, 4), ("a", 5, 9)]),
        ];
        let joined: Vec<_> =
            merged(&rows).into_iter().map(|(rows, stay)| (rows, stay.who.as_str())).collect();
        assert_eq!(joined, [(1..3, "a"), (3..4, "b"), (3..4, "a")]);
    }

    #[test]
    fn ticks_are_round_and_few() {
        for (end, expect) in
            [(3, 1), (10, 1), (11, 2), (45, 5), (99, 10), (1_000_000, 100_000), (1_100_000, 200_000)]
        {
            let ticks = ticks(end);
            assert_eq!(ticks[1], expect, "{end}");
            assert!(ticks.len() <= 11, "{end}: {ticks:?}");
        }
        assert_eq!(ticks(0), [0]);
    }

    #[test]
    fn names_cannot_break_the_drawing() {
        let timeline = Timeline {
            title: "who".to_owned(),
            blocks: vec![TimelineBlock {
                name: "L3 0".to_owned(),
                rows: vec![row("CPUs 0,4 kept", &[]), row("CPU 1", &[("<a&\"\u{7}", 0, 4)])],
            }],
            end: 4,
            moment: |at| format!("step {at}"),
            note: "Bare rows are free.".to_owned(),
        };
        let svg = timeline.draw();
        assert!(svg.contains("&lt;a&amp;&quot; : step 0 to step 4"), "{svg}");
        assert!(svg.contains(">CPUs 0,4 kept<") && svg.contains("Bare rows are free."));
        assert_eq!(svg, timeline.draw());
    }
}
