//! The topology as nested boxes, in an image that is the same for the same machine.
//!
//! Words, numbers and line styles show everything too, so nothing depends on colours.

use super::text::{summary, title};
use model::{Bytes, CpuId, CpuSet, Topology};
use plot::{Look, Nested as Drawing, NestedBox, text_width};
use std::collections::BTreeSet;
use topology::{Level, Nested, Nesting};

/// A longer path is cut, so that it does not make the picture wider.
const NAME_CHARACTERS_MAX: usize = 60;

const CPU: Look = Look { tint: 0, border: "" };
const REFUSED: Look = Look { tint: 0, border: "dashed" };
const OFFLINE: Look = Look { tint: 0, border: "dotted" };

pub fn draw(name: &str, topology: &Topology) -> String {
    let nesting = Nesting::of(topology);
    let drawer = Drawer::new(topology);
    let mut boxes: Vec<NestedBox> = nesting.boxes.iter().map(|item| drawer.item(item)).collect();
    boxes.extend(topology.numa_nodes.iter().filter(|node| node.cpus.is_empty()).map(|node| {
        let title = format!("NUMA node {}{}, no CPUs", node.os_id, amount(node.memory));
        NestedBox::around(look(Level::NumaNode), title, Vec::new())
    }));
    if !topology.offline.is_empty() {
        let cells = topology.offline.iter().map(|cpu| drawer.cell(OFFLINE, format!("({cpu})"))).collect();
        boxes.push(NestedBox::around(look(Level::Package), "offline".to_owned(), cells));
    }
    let name: String = match name.char_indices().nth_back(NAME_CHARACTERS_MAX) {
        Some((cut, _)) => format!("…{}", &name[cut..]),
        None => name.to_owned(),
    };
    Drawing { head: vec![name, summary(topology)], boxes, legend: legend(topology, &nesting) }.draw()
}

struct Drawer<'t> {
    topology: &'t Topology,
    /// The same for all, so that columns are aligned.
    cpu_width: u32,
}

impl<'t> Drawer<'t> {
    fn new(topology: &'t Topology) -> Self {
        let online = topology.cpus();
        let highest = online.iter().chain(topology.offline.iter()).max();
        let is_marked = !topology.offline.is_empty() || !online.is_subset(&topology.allowed);
        let number = highest.map_or_else(String::new, |cpu| cpu.to_string());
        let mark = if is_marked { text_width("()") } else { 0 };
        Self { topology, cpu_width: text_width(&number) + mark }
    }

    fn item(&self, item: &Nested) -> NestedBox {
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
                return NestedBox::in_columns(look(item.level), text, cells, item.cpus.len());
            }
            _ => {}
        }
        NestedBox::around(
            look(item.level),
            text,
            item.children.iter().map(|child| self.item(child)).collect(),
        )
    }

    fn cpu(&self, cpu: CpuId) -> NestedBox {
        if self.topology.allowed.contains(cpu) {
            self.cell(CPU, cpu.to_string())
        } else {
            self.cell(REFUSED, format!("×{cpu}"))
        }
    }

    fn cell(&self, look: Look, title: String) -> NestedBox {
        NestedBox::cell(look, title, self.cpu_width)
    }
}

fn legend(topology: &Topology, nesting: &Nesting) -> Vec<(Look, String)> {
    let mut shown = Vec::new();
    nesting.boxes.iter().for_each(|item| collect(item, &mut shown));
    let levels: BTreeSet<Level> = shown.iter().map(|(level, _)| *level).collect();
    let mut items: Vec<(Look, String)> =
        levels.into_iter().map(|level| (look(level), level.name().to_owned())).collect();
    items.push((CPU, "CPU".to_owned()));
    let online: CpuSet = topology.cpus();
    if !online.is_subset(&topology.allowed) {
        items.push((REFUSED, "×N: CPU that this process may not use".to_owned()));
    }
    if !topology.offline.is_empty() {
        items.push((OFFLINE, "(N): CPU that is switched off".to_owned()));
    }
    for (index, kind) in topology.core_kinds.iter().enumerate() {
        items.push((look(Level::Core), format!("{}: kind of core '{}'", kind_letter(index), kind.name)));
    }
    let unnumbered = |(level, index): &(Level, usize)| title(topology, *level, *index).contains('#');
    if shown.iter().any(unnumbered) {
        items.push((CPU, "#N: no number from the kernel, counted from 0".to_owned()));
    }
    items
}

fn look(level: Level) -> Look {
    let tint = match level {
        Level::Package => 1,
        Level::Die => 2,
        Level::NumaNode => 3,
        Level::L3Domain => 4,
        Level::Cluster => 5,
        Level::Core => 6,
    };
    Look { tint, border: "" }
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

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Core, Domain};

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
        <title>&lt;a &amp; b&gt;: 1 package, 0 NUMA nodes, 1 core, 2 CPUs (SMT 2), 1 offline</title>

        <rect class="paper" width="100%" height="100%"></rect>
        <text class="mono strong" x="8" y="20">&lt;a &amp; b&gt;</text>
        <text class="mono" x="8" y="40">1 package, 0 NUMA nodes, 1 core, 2 CPUs (SMT 2), 1 offline</text>
        <rect class="box t1" x="8" y="56" width="118" height="90"></rect>
        <text class="mono" x="16" y="71">package #0</text>
        <rect class="box t6" x="16" y="82" width="102" height="56"></rect>
        <text class="mono" x="24" y="97">core 0</text>
        <rect class="box t0 dashed" x="24" y="108" width="40" height="22"></rect>
        <text class="mono" x="32" y="123">×0</text>
        <rect class="box t0" x="70" y="108" width="40" height="22"></rect>
        <text class="mono" x="78" y="123">1</text>
        <rect class="box t1" x="132" y="56" width="72" height="56"></rect>
        <text class="mono" x="140" y="71">offline</text>
        <rect class="box t0 dotted" x="140" y="82" width="40" height="22"></rect>
        <text class="mono" x="148" y="97">(2)</text>
        <rect class="box t1" x="8" y="160" width="14" height="14"></rect>
        <text class="mono" x="28" y="172">package</text>
        <rect class="box t6" x="100" y="160" width="14" height="14"></rect>
        <text class="mono" x="120" y="172">core</text>
        <rect class="box t0" x="168" y="160" width="14" height="14"></rect>
        <text class="mono" x="188" y="172">CPU</text>
        <rect class="box t0 dashed" x="8" y="184" width="14" height="14"></rect>
        <text class="mono" x="28" y="196">×N: CPU that this process may not use</text>
        <rect class="box t0 dotted" x="8" y="208" width="14" height="14"></rect>
        <text class="mono" x="28" y="220">(N): CPU that is switched off</text>
        <rect class="box t0" x="8" y="232" width="14" height="14"></rect>
        <text class="mono" x="28" y="244">#N: no number from the kernel, counted from 0</text>
        </svg>
        "#);
        assert_eq!(svg, draw("<a & b>", &machine(1)));
    }
}
