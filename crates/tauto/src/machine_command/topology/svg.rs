//! The topology as nested boxes, in an image that is the same for the same machine.
//!
//! Everything is told by words, numbers and line styles too, so nothing depends on colours.

use super::text::{summary, title};
use model::{Bytes, CpuId, CpuSet, Topology};
use probe::topology::{Level, Nested, Nesting};
use std::collections::BTreeSet;
use std::fmt::Write;

/// All lengths are in units of the image, about a pixel each. Wider than any monospaced font draws at this size.
const CHARACTER_WIDTH: u32 = 8;
const TITLE_HEIGHT: u32 = 20;
const CPU_HEIGHT: u32 = 22;
const PADDING: u32 = 8;
const GAP: u32 = 6;
const LEGEND_HEIGHT: u32 = 24;
/// As wide for its height as a page in landscape.
const ASPECT: f64 = 1.5;
/// A path longer than this is cut, so that it does not make the drawing wider.
const NAME_CHARACTERS_MAX: usize = 60;

/// The second half is for people who look at dark pages.
const STYLE: &str = "\
text{font:12px 'DejaVu Sans Mono','Liberation Mono',monospace;fill:#1b1f24}\
.strong{font-weight:bold}\
rect{stroke:#57606a;stroke-width:1}\
.page{fill:#ffffff;stroke:none}\
.package{fill:#eaeef2}.die{fill:#f1e8f7}.numa{fill:#dff1e3}.l3{fill:#fdf1d3}.cluster{fill:#fbe3dc}\
.core{fill:#dbe9fb}.cpu{fill:#ffffff}\
.refused{stroke-dasharray:5 3;stroke-width:2}.offline{stroke-dasharray:1 3;stroke-width:2}\
@media (prefers-color-scheme:dark){\
text{fill:#e6edf3}rect{stroke:#9aa4af}.page{fill:#0d1117}\
.package{fill:#21262d}.die{fill:#33263f}.numa{fill:#17341f}.l3{fill:#3a3014}.cluster{fill:#43231b}\
.core{fill:#1b2f4a}.cpu{fill:#0d1117}}";

/// A box with its size, and what is in it with its place.
struct Drawn {
    class: &'static str,
    title: String,
    width: u32,
    height: u32,
    inside: Vec<(u32, u32, Drawn)>,
}

/// Draws the machine.
pub fn draw(name: &str, topology: &Topology) -> String {
    let nesting = Nesting::of(topology);
    let drawer = Drawer::new(topology);
    let mut parts: Vec<Drawn> = nesting.boxes.iter().map(|item| drawer.item(item)).collect();
    parts.extend(topology.numa_nodes.iter().filter(|node| node.cpus.is_empty()).map(|node| {
        let title = format!("NUMA node {}{}, no CPUs", node.os_id, amount(node.memory));
        Drawn::around("numa", title, Vec::new())
    }));
    if !topology.offline.is_empty() {
        let cells =
            topology.offline.iter().map(|cpu| drawer.cell("cpu offline", format!("({cpu})"))).collect();
        parts.push(Drawn::around("package", "offline".to_owned(), cells));
    }
    let name: String = match name.char_indices().nth_back(NAME_CHARACTERS_MAX) {
        Some((cut, _)) => format!("…{}", &name[cut..]),
        None => name.to_owned(),
    };
    let head = [name, summary(topology)];
    let body = Drawn::around("page", String::new(), parts);
    let head_width = head.iter().map(|line| text_width(line)).max().unwrap_or(0);
    let width = body.width.max(head_width + 2 * PADDING).max(50 * CHARACTER_WIDTH);
    let legend = drawer.legend(&nesting, width);
    let body_top = 2 * TITLE_HEIGHT + PADDING;
    let height = body_top + body.height + legend.height + PADDING;

    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\" aria-label=\"{}\">\n<style>{STYLE}</style>\n\
         <rect class=\"page\" width=\"{width}\" height=\"{height}\"/>\n",
        escaped(&head.join(": "))
    );
    for (line, (text, class)) in (1..).zip(head.iter().zip([" class=\"strong\"", ""])) {
        let y = line * TITLE_HEIGHT;
        push(&mut svg, format_args!("<text{class} x=\"{PADDING}\" y=\"{y}\">{}</text>\n", escaped(text)));
    }
    for (x, y, part) in &body.inside {
        part.write(&mut svg, *x, body_top + *y);
    }
    legend.write(&mut svg, 0, body_top + body.height);
    svg.push_str("</svg>\n");
    svg
}

struct Drawer<'t> {
    topology: &'t Topology,
    /// One for all, so that columns stand below each other.
    cpu_width: u32,
}

impl<'t> Drawer<'t> {
    fn new(topology: &'t Topology) -> Self {
        let online = topology.cpus();
        let highest = online.iter().chain(topology.offline.iter()).max();
        let is_marked = !topology.offline.is_empty() || !online.is_subset(&topology.allowed);
        let number = highest.map_or_else(String::new, |cpu| cpu.to_string());
        let mark = if is_marked { 2 * CHARACTER_WIDTH } else { 0 };
        Self { topology, cpu_width: text_width(&number) + mark + 2 * PADDING }
    }

    fn item(&self, item: &Nested) -> Drawn {
        let topology = self.topology;
        let mut text = title(topology, item.level, item.index);
        match item.level {
            Level::NumaNode => text.push_str(&amount(topology.numa_nodes[item.index].memory)),
            Level::L3Domain => text.push_str(&amount(topology.l3_domains[item.index].size)),
            Level::Core => {
                if let Some(kind) =
                    topology.core_kinds.len().checked_sub(1).and(topology.cores[item.index].kind)
                {
                    text.push_str(&format!(" {}", kind_letter(kind)));
                }
                let cells = item.cpus.iter().map(|cpu| self.cpu(cpu)).collect();
                return Drawn::in_columns(class(item.level), text, cells, item.cpus.len());
            }
            _ => {}
        }
        Drawn::around(class(item.level), text, item.children.iter().map(|child| self.item(child)).collect())
    }

    fn cpu(&self, cpu: CpuId) -> Drawn {
        if self.topology.allowed.contains(cpu) {
            self.cell("cpu", cpu.to_string())
        } else {
            self.cell("cpu refused", format!("×{cpu}"))
        }
    }

    fn cell(&self, class: &'static str, title: String) -> Drawn {
        Drawn { class, title, width: self.cpu_width, height: CPU_HEIGHT, inside: Vec::new() }
    }

    /// Explains what occurs in this drawing, in as many lines as its width needs.
    fn legend(&self, nesting: &Nesting, width: u32) -> Drawn {
        let topology = self.topology;
        let mut items: Vec<(&'static str, String)> = Vec::new();
        let mut shown = Vec::new();
        nesting.boxes.iter().for_each(|item| collect(item, &mut shown));
        let levels: BTreeSet<Level> = shown.iter().map(|(level, _)| *level).collect();
        items.extend(levels.into_iter().map(|level| (class(level), level.name().to_owned())));
        items.push(("cpu", "CPU".to_owned()));
        let online: CpuSet = topology.cpus();
        if !online.is_subset(&topology.allowed) {
            items.push(("cpu refused", "×N: CPU that this process may not use".to_owned()));
        }
        if !topology.offline.is_empty() {
            items.push(("cpu offline", "(N): CPU that is switched off".to_owned()));
        }
        for (index, kind) in topology.core_kinds.iter().enumerate() {
            items.push(("core", format!("{}: kind of core '{}'", kind_letter(index), kind.name)));
        }
        let unnumbered = |(level, index): &(Level, usize)| title(topology, *level, *index).contains('#');
        if shown.iter().any(unnumbered) {
            items.push(("page", "#N: no number from the kernel, counted from 0".to_owned()));
        }
        let (mut x, mut y) = (PADDING, GAP);
        let mut inside = Vec::new();
        for (class, text) in items {
            let item_width = 20 + text_width(&text) + 2 * PADDING;
            if x > PADDING && x + item_width > width {
                (x, y) = (PADDING, y + LEGEND_HEIGHT);
            }
            inside.push((
                x,
                y,
                Drawn { class, title: String::new(), width: 14, height: 14, inside: Vec::new() },
            ));
            let label = Drawn { class: "label", title: text, width: 0, height: 0, inside: Vec::new() };
            inside.push((x + 20 - PADDING, y - 3, label));
            x += item_width;
        }
        Drawn { class: "group", title: String::new(), width, height: y + LEGEND_HEIGHT, inside }
    }
}

impl Drawn {
    /// Puts parts into rows of the number that gives the best shape.
    fn around(class: &'static str, title: String, parts: Vec<Self>) -> Self {
        let sizes: Vec<(u32, u32)> = parts.iter().map(|part| (part.width, part.height)).collect();
        let badness = |columns: usize| {
            let (widths, heights) = grid(&sizes, columns);
            let shape = f64::from(widths.iter().sum::<u32>()) / f64::from(heights.iter().sum::<u32>().max(1));
            let holes = (columns - sizes.len() % columns) % columns;
            // An empty place is worse than a shape that is twice as wide.
            (shape / ASPECT).ln().abs() + 2.0 * holes as f64 / sizes.len() as f64
        };
        let columns = (1..=parts.len()).min_by(|one, two| badness(*one).total_cmp(&badness(*two)));
        Self::in_columns(class, title, parts, columns.unwrap_or(1))
    }

    fn in_columns(class: &'static str, title: String, parts: Vec<Self>, columns: usize) -> Self {
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
        Self { class, title, width, height, inside }
    }

    fn write(&self, svg: &mut String, x: u32, y: u32) {
        let (width, height) = (self.width, self.height);
        if !matches!(self.class, "label" | "group") {
            push(
                svg,
                format_args!(
                    "<rect class=\"{}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"3\"/>\n",
                    self.class
                ),
            );
        }
        if !self.title.is_empty() {
            let (x, y) = (x + PADDING, y + 15);
            push(svg, format_args!("<text x=\"{x}\" y=\"{y}\">{}</text>\n", escaped(&self.title)));
        }
        for (inner_x, inner_y, part) in &self.inside {
            part.write(svg, x + inner_x, y + inner_y);
        }
    }
}

/// Gives the widths of columns and the heights of rows.
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

fn class(level: Level) -> &'static str {
    match level {
        Level::Package => "package",
        Level::Die => "die",
        Level::NumaNode => "numa",
        Level::L3Domain => "l3",
        Level::Cluster => "cluster",
        Level::Core => "core",
    }
}

fn collect(item: &Nested, shown: &mut Vec<(Level, usize)>) {
    shown.push((item.level, item.index));
    item.children.iter().for_each(|child| collect(child, shown));
}

fn kind_letter(kind: usize) -> char {
    char::from(b'A' + u8::try_from(kind).unwrap_or(25).min(25))
}

fn amount(bytes: Option<Bytes>) -> String {
    bytes.map_or_else(String::new, |bytes| format!(", {bytes}"))
}

fn text_width(text: &str) -> u32 {
    let characters = unicode_width::UnicodeWidthStr::width(text);
    u32::try_from(characters).unwrap_or(u32::MAX / CHARACTER_WIDTH) * CHARACTER_WIDTH
}

fn push(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments).expect("a text takes whatever is written");
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Core, Domain};

    /// A machine of one package with cores of two CPUs each.
    fn machine(cores: u32) -> Topology {
        let set = |numbers: std::ops::Range<u32>| numbers.map(CpuId).collect::<CpuSet>();
        let core = |core| Core { os_id: Some(core), cpus: set(core * 2..core * 2 + 2), kind: None };
        Topology {
            packages: vec![Domain { os_id: None, cpus: set(0..cores * 2) }],
            cores: (0..cores).map(core).collect(),
            allowed: set(1..cores * 2),
            offline: set(cores * 2..cores * 2 + 1),
            ..Topology::default()
        }
    }

    #[test]
    fn a_small_machine_is_drawn_as_reviewed() {
        let svg = draw("<a & b>", &machine(1));
        let (head, rest) = svg.split_once("<style>").unwrap();
        let body = rest.split_once("</style>").unwrap().1;
        insta::assert_snapshot!(format!("{head}{body}"), @r#"
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 480 264" width="480" height="264" role="img" aria-label="&lt;a &amp; b&gt;: 1 package, 0 NUMA nodes, 1 core, 2 CPUs (SMT 2), 1 offline">

        <rect class="page" width="480" height="264"/>
        <text class="strong" x="8" y="20">&lt;a &amp; b&gt;</text>
        <text x="8" y="40">1 package, 0 NUMA nodes, 1 core, 2 CPUs (SMT 2), 1 offline</text>
        <rect class="package" x="8" y="56" width="118" height="90" rx="3"/>
        <text x="16" y="71">package #0</text>
        <rect class="core" x="16" y="82" width="102" height="56" rx="3"/>
        <text x="24" y="97">core 0</text>
        <rect class="cpu refused" x="24" y="108" width="40" height="22" rx="3"/>
        <text x="32" y="123">×0</text>
        <rect class="cpu" x="70" y="108" width="40" height="22" rx="3"/>
        <text x="78" y="123">1</text>
        <rect class="package" x="132" y="56" width="72" height="56" rx="3"/>
        <text x="140" y="71">offline</text>
        <rect class="cpu offline" x="140" y="82" width="40" height="22" rx="3"/>
        <text x="148" y="97">(2)</text>
        <rect class="package" x="8" y="160" width="14" height="14" rx="3"/>
        <text x="28" y="172">package</text>
        <rect class="core" x="100" y="160" width="14" height="14" rx="3"/>
        <text x="120" y="172">core</text>
        <rect class="cpu" x="168" y="160" width="14" height="14" rx="3"/>
        <text x="188" y="172">CPU</text>
        <rect class="cpu refused" x="8" y="184" width="14" height="14" rx="3"/>
        <text x="28" y="196">×N: CPU that this process may not use</text>
        <rect class="cpu offline" x="8" y="208" width="14" height="14" rx="3"/>
        <text x="28" y="220">(N): CPU that is switched off</text>
        <rect class="page" x="8" y="232" width="14" height="14" rx="3"/>
        <text x="28" y="244">#N: no number from the kernel, counted from 0</text>
        </svg>
        "#);
        assert_eq!(svg, draw("<a & b>", &machine(1)));
    }

    /// Checks that texts and parts stay inside of what they are in, and parts beside each other.
    fn check_room(drawn: &Drawn) {
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
    fn everything_has_room_also_for_4096_cpus() {
        for cores in [1, 2, 7, 128, 2048] {
            let topology = machine(cores);
            let drawer = Drawer::new(&topology);
            Nesting::of(&topology).boxes.iter().for_each(|item| check_room(&drawer.item(item)));
        }
    }
}
