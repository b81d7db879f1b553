//! Writes hwloc's XML.

use super::{CORE_TYPES, KIND_WORDS};
use crate::{Level, Nested, Nesting, TopologyError};
use model::{CoreKind, CpuSet, NumaNode, Topology};
use std::fmt::Write;
use system::mask;

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
    <!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n\
    <topology version=\"2.0\">\n";
/// hwloc's kinds of groups for clusters, and for holding a NUMA node (`HWLOC_GROUP_KIND_*`).
const CLUSTER_KIND: &str = " subtype=\"Cluster\" kind=\"222\" subkind=\"0\"";
const NUMA_KIND: &str = " kind=\"1001\" subkind=\"0\"";
/// hwloc's bits for latencies reported by the operating system.
const DISTANCES_KIND: u32 = 5;

/// Writes a topology as hwloc's XML, which `lstopo --input` and all programs that use hwloc can read.
///
/// CPUs that are not allowed are included, as in `lstopo --disallowed`.
///
/// # Errors
/// When two domains share CPUs and neither is inside the other.
pub fn to_xml(topology: &Topology) -> Result<String, TopologyError> {
    let nesting = Nesting::of(topology);
    if let Some((level, index)) = nesting.crossing.first() {
        let what = format!("{} {index} (by the lowest CPU, from 0)", level.name());
        return Err(TopologyError::NotATree { what });
    }
    let mut writer = Writer { topology, text: HEAD.to_owned(), indent: 1, objects: 0 };
    writer.machine(&nesting.boxes);
    writer.distances();
    for (efficiency, kind) in topology.core_kinds.iter().enumerate() {
        writer.kind(efficiency, kind);
    }
    writer.text.push_str("</topology>\n");
    Ok(writer.text)
}

struct Writer<'t> {
    topology: &'t Topology,
    text: String,
    indent: usize,
    objects: u32,
}

impl Writer<'_> {
    fn machine(&mut self, boxes: &[Nested]) {
        let online = self.topology.cpus();
        let complete: CpuSet = online.iter().chain(self.topology.offline.iter()).collect();
        let nodes = mask(self.topology.numa_nodes.iter().map(|node| node.os_id));
        let mut attributes = format!(
            " os_index=\"0\" cpuset=\"{}\" complete_cpuset=\"{}\" allowed_cpuset=\"{}\"",
            cpu_mask(&online),
            cpu_mask(&complete),
            cpu_mask(&self.topology.allowed)
        );
        let allowed = mask(self.topology.allowed_numa_nodes.iter().copied());
        push(
            &mut attributes,
            format_args!(" nodeset=\"{nodes}\" complete_nodeset=\"{nodes}\" allowed_nodeset=\"{allowed}\""),
        );
        self.open("Machine", &attributes);
        for node in self.topology.numa_nodes.iter().filter(|node| node.cpus.is_empty()) {
            self.numa_node(node);
        }
        self.inside(boxes, &online);
        self.close();
    }

    /// Writes the content of an object with these CPUs, memory first.
    fn inside(&mut self, boxes: &[Nested], outer: &CpuSet) {
        for item in boxes {
            if item.level != Level::NumaNode {
                self.object(item, None);
            } else if item.cpus == *outer {
                self.numa_node(&self.topology.numa_nodes[item.index]);
                self.inside(&item.children, outer);
            } else {
                self.numa_box(item);
            }
        }
    }

    /// Writes a NUMA node without an object of its size around it: into the one inside it, or a group.
    fn numa_box(&mut self, item: &Nested) {
        let node = &self.topology.numa_nodes[item.index];
        match item.children.as_slice() {
            [only] if only.cpus == item.cpus => self.object(only, Some(node)),
            children => {
                self.open("Group", &(self.sets(&item.cpus) + NUMA_KIND));
                self.numa_node(node);
                self.inside(children, &item.cpus);
                self.close();
            }
        }
    }

    fn object(&mut self, item: &Nested, memory: Option<&NumaNode>) {
        let topology = self.topology;
        let (name, os_id, rest) = match item.level {
            Level::Package => ("Package", topology.packages[item.index].os_id, String::new()),
            Level::Die => ("Die", topology.dies[item.index].os_id, String::new()),
            Level::Cluster => ("Group", topology.clusters[item.index].os_id, CLUSTER_KIND.to_owned()),
            Level::Core => ("Core", topology.cores[item.index].os_id, String::new()),
            Level::L3Domain | Level::NumaNode => {
                let domain = &topology.l3_domains[item.index];
                // In hwloc a size of 0 means unknown.
                let size = domain.size.map_or(0, |size| size.0);
                let rest = format!(
                    " cache_size=\"{size}\" depth=\"3\" cache_linesize=\"0\" cache_associativity=\"0\" cache_type=\"0\""
                );
                ("L3Cache", domain.os_id, rest)
            }
        };
        let os_index = os_id.map_or_else(String::new, |id| format!(" os_index=\"{id}\""));
        self.open(name, &(os_index + &self.sets(&item.cpus) + &rest));
        if let Some(node) = memory {
            self.numa_node(node);
        }
        self.inside(&item.children, &item.cpus);
        if item.level == Level::Core {
            for cpu in item.cpus.iter() {
                let sets = self.sets(&CpuSet::from_iter([cpu]));
                self.single("PU", &format!(" os_index=\"{cpu}\"{sets}"));
            }
        }
        self.close();
    }

    fn numa_node(&mut self, node: &NumaNode) {
        let (cpus, set) = (cpu_mask(&node.cpus), mask([node.os_id]));
        let mut attributes = format!(
            " os_index=\"{}\" cpuset=\"{cpus}\" complete_cpuset=\"{cpus}\" nodeset=\"{set}\" complete_nodeset=\"{set}\"",
            node.os_id
        );
        if let Some(memory) = node.memory {
            push(&mut attributes, format_args!(" local_memory=\"{}\"", memory.0));
        }
        self.single("NUMANode", &attributes);
    }

    fn sets(&self, cpus: &CpuSet) -> String {
        let nodes = mask(self.topology.numa_nodes_of(cpus));
        let cpus = cpu_mask(cpus);
        format!(
            " cpuset=\"{cpus}\" complete_cpuset=\"{cpus}\" nodeset=\"{nodes}\" complete_nodeset=\"{nodes}\""
        )
    }

    /// Writes the matrix of distances, if every node reports its distances to all.
    fn distances(&mut self) {
        let nodes = &self.topology.numa_nodes;
        let values: Vec<u32> = nodes
            .iter()
            .flat_map(|node| nodes.iter().filter_map(|other| node.distances.get(&other.os_id).copied()))
            .collect();
        if nodes.len() < 2 || values.len() != nodes.len() * nodes.len() {
            return;
        }
        let list = |name: &str, numbers: Vec<u32>| {
            let text: String = numbers.iter().map(|number| format!("{number} ")).collect();
            format!("    <{name} length=\"{}\">{text}</{name}>\n", text.len())
        };
        let indexes = list("indexes", nodes.iter().map(|node| node.os_id).collect());
        let values = list("u64values", values);
        push(
            &mut self.text,
            format_args!(
                "  <distances2 type=\"NUMANode\" nbobjs=\"{}\" kind=\"{DISTANCES_KIND}\" name=\"NUMALatency\" \
                 indexing=\"os\">\n{indexes}{values}  </distances2>\n",
                nodes.len()
            ),
        );
    }

    fn kind(&mut self, efficiency: usize, kind: &CoreKind) {
        let words = KIND_WORDS.iter().find_map(|(info, before, after)| {
            Some((*info, kind.name.strip_prefix(before)?.strip_suffix(after)?))
        });
        let core_type = || {
            CORE_TYPES.iter().find(|(_, name)| *name == kind.name).map_or(kind.name.as_str(), |known| known.0)
        };
        let (info, value) = words.unwrap_or_else(|| ("CoreType", core_type()));
        push(
            &mut self.text,
            format_args!(
                "  <cpukind cpuset=\"{}\" forced_efficiency=\"{efficiency}\">\n    \
                 <info name=\"{info}\" value=\"{}\"/>\n  </cpukind>\n",
                cpu_mask(&kind.cpus),
                escaped(value)
            ),
        );
    }

    fn open(&mut self, kind: &str, attributes: &str) {
        self.element(kind, attributes, ">");
        self.indent += 1;
    }

    fn single(&mut self, kind: &str, attributes: &str) {
        self.element(kind, attributes, "/>");
    }

    fn element(&mut self, kind: &str, attributes: &str, end: &str) {
        self.objects += 1;
        let (indent, number) = (self.indent * 2, self.objects);
        push(
            &mut self.text,
            format_args!("{:indent$}<object type=\"{kind}\"{attributes} gp_index=\"{number}\"{end}\n", ""),
        );
    }

    fn close(&mut self) {
        self.indent -= 1;
        let indent = self.indent * 2;
        push(&mut self.text, format_args!("{:indent$}</object>\n", ""));
    }
}

fn push(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments).expect("a text takes whatever is written");
}

/// Writes numbers as hwloc's mask, such as `0x00000001,0x0000000f`.
pub(super) fn mask(numbers: impl IntoIterator<Item = u32>) -> String {
    mask::words(numbers).iter().map(|word| format!("0x{word:08x}")).collect::<Vec<_>>().join(",")
}

fn cpu_mask(cpus: &CpuSet) -> String {
    mask(cpus.iter().map(|cpu| cpu.0))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
