//! Time to the right, a row for each core.

use super::{Axis, Change, blocks};
use crate::LeaseId;
use crate::machine::{Machine, Standing};
use model::Nanos;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

const LEFT: f64 = 150.0;
const RIGHT: f64 = 24.0;
const PLOT: f64 = 900.0;
const HEAD: f64 = 20.0;
/// Rows with a name each; beyond as many cores they get thin and lose it.
const ROW: f64 = 15.0;
const ROW_THIN: f64 = 5.0;
const THICK_CORES_MAX: usize = 96;
const AXIS: f64 = 34.0;
const TICKS_MAX: u64 = 10;
/// Width of a letter of the labels.
const LETTER: f64 = 6.7;
/// Told apart also by those who see no red or green (Okabe and Ito).
const COLOURS: [&str; 7] = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8a800"];
/// Five patterns and seven colours repeat together only after 35 leases.
const PATTERNS: [&str; 5] =
    ["", "M0,8 L8,0 M-2,2 L2,-2 M6,10 L10,6", "M0,0 L8,8 M-2,6 L2,10 M6,-2 L10,2", "M0,4 L8,4", "M4,0 L4,8"];

/// What one core does for some time.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stay<'c> {
    lease: &'c LeaseId,
    from: Nanos,
    to: Nanos,
}

/// Draws as SVG who had which core, from 0 to an end. Changes are taken in the order of their times; of equal
/// times in the order given.
pub fn timeline(machine: &Machine, changes: &[Change], end: Nanos, axis: Axis) -> String {
    let stays = stays(machine, changes, end);
    let numbers = numbers(&stays);
    let row = if machine.cores.len() <= THICK_CORES_MAX { ROW } else { ROW_THIN };
    let blocks = blocks(machine);
    let height = HEAD * blocks.len() as f64 + row * machine.cores.len() as f64 + AXIS + 2.0 * HEAD;
    let mut svg = open(height);
    let scale = PLOT / end.0.max(1) as f64;
    let x = |at: Nanos| LEFT + at.0 as f64 * scale;
    let mut y = HEAD * 0.5;
    let top = y;
    for block in blocks {
        let _ = writeln!(svg, r#"<text x="8" y="{:.1}" class="h">{}</text>"#, y + 14.0, escape(&block.name));
        y += HEAD;
        for core in block.cores.clone() {
            let at = y + row * (core - block.cores.start) as f64;
            draw_core(&mut svg, machine, core, at, row);
        }
        for (rows, stay) in merged(&stays, block.cores.clone()) {
            let at = y + row * (rows.start - block.cores.start) as f64;
            let size = (x(stay.to) - x(stay.from), row * rows.len() as f64);
            draw_stay(&mut svg, stay, numbers[stay.lease], (x(stay.from), at), size, axis);
        }
        y += row * block.cores.len() as f64;
    }
    draw_axis(&mut svg, end, axis, scale, top..y);
    draw_key(&mut svg, machine, y + AXIS + 8.0);
    svg.push_str("</svg>\n");
    svg
}

/// Works out from the changes who has each core from when to when.
fn stays<'c>(machine: &Machine, changes: &'c [Change], end: Nanos) -> Vec<Vec<Stay<'c>>> {
    let mut ordered: Vec<&Change> = changes.iter().filter(|change| change.at < end).collect();
    ordered.sort_by_key(|change| change.at);
    let mut stays: Vec<Vec<Stay<'c>>> = vec![Vec::new(); machine.cores.len()];
    let mut open: BTreeMap<usize, (&LeaseId, Nanos)> = BTreeMap::new();
    let mut close = |core: usize, (lease, from): (&'c LeaseId, Nanos), to: Nanos| {
        if from < to {
            stays[core].push(Stay { lease, from, to });
        }
    };
    for change in ordered {
        let cores: Vec<usize> = change.cpus.iter().filter_map(|cpu| machine.core_of(cpu)).collect();
        let gone: Vec<usize> = open
            .iter()
            .filter(|(core, (lease, _))| *lease == &change.lease && !cores.contains(core))
            .map(|(core, _)| *core)
            .collect();
        for core in gone {
            if let Some(stay) = open.remove(&core) {
                close(core, stay, change.at);
            }
        }
        for core in cores {
            match open.insert(core, (&change.lease, change.at)) {
                // It stays where it was.
                Some(stay) if stay.0 == &change.lease => drop(open.insert(core, stay)),
                Some(stay) => close(core, stay, change.at),
                None => {}
            }
        }
    }
    for (core, stay) in open {
        close(core, stay, end);
    }
    stays
}

/// Numbers the leases in the order of their names, for colours and patterns.
fn numbers<'c>(stays: &[Vec<Stay<'c>>]) -> BTreeMap<&'c LeaseId, usize> {
    let mut numbers: BTreeMap<&LeaseId, usize> = stays.iter().flatten().map(|stay| (stay.lease, 0)).collect();
    for (number, entry) in numbers.values_mut().enumerate() {
        *entry = number;
    }
    numbers
}

/// Joins equal stays of neighbouring cores to one.
fn merged<'s, 'c>(stays: &'s [Vec<Stay<'c>>], cores: Range<usize>) -> Vec<(Range<usize>, &'s Stay<'c>)> {
    let mut joined: Vec<(Range<usize>, &Stay<'c>)> = Vec::new();
    for core in cores {
        for stay in &stays[core] {
            match joined.iter_mut().rev().find(|(rows, other)| rows.end == core && *other == stay) {
                Some((rows, _)) => rows.end = core + 1,
                None => joined.push((core..core + 1, stay)),
            }
        }
    }
    joined
}

fn open(height: f64) -> String {
    let width = LEFT + PLOT + RIGHT;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height:.0}\" viewBox=\"0 0 {width} \
         {height:.0}\" role=\"img\">\n<title>Who has which core</title>\n<style>\n\
         text {{ font: 11px ui-monospace, 'DejaVu Sans Mono', monospace; fill: #1c1c1c }}\n\
         .h {{ font-weight: bold }} .s {{ fill: #5a5a5a }}\n\
         .bg {{ fill: #ffffff }} .row {{ fill: #f1f1f1 }} .off {{ fill: #c9c9c9 }}\n\
         .grid {{ stroke: #8a8a8a; stroke-width: 0.5 }} .edge {{ stroke: #ffffff; stroke-width: 1 }}\n\
         .label {{ fill: #000000; paint-order: stroke; stroke: #ffffff; stroke-width: 3px }}\n"
    );
    for (at, colour) in COLOURS.iter().enumerate() {
        let _ = writeln!(svg, ".c{at} {{ fill: {colour} }}");
    }
    svg.push_str(
        "@media (prefers-color-scheme: dark) {\n\
         text { fill: #e8e8e8 } .s { fill: #a8a8a8 }\n\
         .bg { fill: #16181c } .row { fill: #24272d } .off { fill: #4a4d54 } .edge { stroke: #16181c }\n\
         .label { fill: #ffffff; stroke: #16181c }\n}\n</style>\n<defs>\n",
    );
    for (at, path) in PATTERNS.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
        let _ = writeln!(
            svg,
            "<pattern id=\"p{at}\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\"><path d=\"{path}\" \
             stroke=\"#000000\" stroke-opacity=\"0.45\" stroke-width=\"1.5\"/></pattern>"
        );
    }
    svg.push_str("</defs>\n<rect class=\"bg\" width=\"100%\" height=\"100%\"/>\n");
    svg
}

fn draw_core(svg: &mut String, machine: &Machine, core: usize, y: f64, row: f64) {
    let place = &machine.cores[core];
    let cpus: model::CpuSet = place.cpus.iter().copied().collect();
    let (class, note) = match place.standing {
        Standing::Usable => ("row", ""),
        Standing::Housekeeping => ("off", " kept"),
        Standing::NotAllowed => ("off", " barred"),
    };
    let gap = if row > ROW_THIN { 1.0 } else { 0.0 };
    let _ = writeln!(
        svg,
        r#"<rect class="{class}" x="{LEFT}" y="{y:.1}" width="{PLOT}" height="{:.1}"/>"#,
        row - gap
    );
    if row > ROW_THIN {
        let _ =
            writeln!(svg, r#"<text x="16" y="{:.1}" class="s">{}{note}</text>"#, y + row - 4.0, cpus.named());
    }
}

fn draw_stay(svg: &mut String, stay: &Stay<'_>, number: usize, at: (f64, f64), size: (f64, f64), axis: Axis) {
    let ((x, y), (width, height)) = (at, size);
    let id = escape(stay.lease.as_str());
    let (colour, pattern) = (number % COLOURS.len(), number % PATTERNS.len());
    let place = format!(r#"x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{:.1}""#, height - 1.0);
    let (from, to) = (shown(stay.from, axis), shown(stay.to, axis));
    let _ = writeln!(svg, r#"<g><title>{id}: {from} to {to}</title><rect class="c{colour} edge" {place}/>"#);
    if pattern > 0 {
        let _ = writeln!(svg, r#"<rect fill="url(#p{pattern})" {place}/>"#);
    }
    if width > id.chars().count() as f64 * LETTER + 8.0 && height >= 12.0 {
        let _ = writeln!(
            svg,
            r#"<text class="label" x="{:.1}" y="{:.1}">{id}</text>"#,
            x + 4.0,
            y + height / 2.0 + 3.5
        );
    }
    svg.push_str("</g>\n");
}

fn draw_axis(svg: &mut String, end: Nanos, axis: Axis, scale: f64, y: Range<f64>) {
    for tick in ticks(end.0) {
        let x = LEFT + tick as f64 * scale;
        let _ = writeln!(
            svg,
            r#"<line class="grid" x1="{x:.1}" y1="{:.1}" x2="{x:.1}" y2="{:.1}"/><text class="s" x="{x:.1}" y="{:.1}" text-anchor="middle">{}</text>"#,
            y.start,
            y.end + 4.0,
            y.end + 18.0,
            shown(Nanos(tick), axis)
        );
    }
}

/// Says what the signs mean that need saying.
fn draw_key(svg: &mut String, machine: &Machine, y: f64) {
    let off = machine.cores.iter().any(|core| core.standing != Standing::Usable);
    let note = if off { "; grey: kept for housekeeping, or not allowed" } else { "" };
    let _ = writeln!(
        svg,
        r#"<text class="s" x="8" y="{y:.1}">A row for each core; a block is a lease, with colour, pattern and name; bare rows are free{note}.</text>"#
    );
}

/// Some round numbers up to an end.
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

fn shown(at: Nanos, axis: Axis) -> String {
    match axis {
        Axis::Time => at.to_string(),
        Axis::Steps => format!("step {}", at.0),
    }
}

fn escape(text: &str) -> String {
    text.chars()
        .map(|letter| match letter {
            '<' => "&lt;".to_owned(),
            '>' => "&gt;".to_owned(),
            '&' => "&amp;".to_owned(),
            '"' => "&quot;".to_owned(),
            // XML has no sign for most of them.
            letter if letter.is_control() => " ".to_owned(),
            letter => letter.to_string(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Regular;
    use model::CpuSet;

    fn change(at: u64, lease: &str, cpus: &str) -> Change {
        Change { at: Nanos(at), lease: LeaseId::new(lease), cpus: cpus.parse().unwrap() }
    }

    fn machine() -> Machine {
        let shape = Regular { packages: 1, numa_nodes: 1, l3_domains: 1, cores: 4, threads: 2 };
        Machine::new(&shape.topology(), &"0".parse::<CpuSet>().unwrap()).unwrap()
    }

    #[test]
    fn changes_become_stays() {
        let changes = [
            change(5, "a", "3"),
            change(0, "a", "1-2"),
            change(3, "b", "3"),
            change(4, "b", ""),
            change(9, "c", "1"),
        ];
        let stays = stays(&machine(), &changes, Nanos(9));
        let shown: Vec<String> = stays
            .iter()
            .map(|core| {
                core.iter().map(|stay| format!("{} {}-{};", stay.lease, stay.from.0, stay.to.0)).collect()
            })
            .collect();
        assert_eq!(shown, ["", "a 0-5;", "a 0-5;", "b 3-4;a 5-9;"]);
        let joined: Vec<_> =
            merged(&stays, 0..4).into_iter().map(|(rows, stay)| (rows, stay.lease.as_str())).collect();
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
        let svg = timeline(&machine(), &[change(0, "<a&\"\u{7}", "1")], Nanos(4), Axis::Steps);
        assert!(svg.contains("&lt;a&amp;&quot; : step 0 to step 4"), "{svg}");
        assert_eq!(svg, timeline(&machine(), &[change(0, "<a&\"\u{7}", "1")], Nanos(4), Axis::Steps));
        assert!(svg.contains(">CPUs 0,4 kept<") && svg.contains("bare rows are free; grey"));
    }
}
