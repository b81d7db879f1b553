//! Reads hwloc's XML.

use super::{CORE_TYPES, KIND_WORDS};
use crate::TopologyError;
use crate::memory::LOCAL;
use crate::shared::dies_or_packages;
use model::{Bytes, CacheDomain, Core, CoreKind, CpuId, CpuSet, Domain, NumaNode, Topology};
use roxmltree::{Document, Node, ParsingOptions};
use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;
use system::mask::{self, NUMBER_MAX};

/// A machine of 256 CPUs has 3,000 elements; attributes and texts count too.
const XML_NODES_MAX: u32 = 4 << 20;
/// What hwloc 1 writes where the kernel has no number: -1 without its sign.
const NO_INDEX: i64 = u32::MAX as i64;

/// Reads a topology from hwloc's XML.
///
/// # Errors
/// When it is not XML or not hwloc's, lists no CPU, or has domains that overlap.
pub fn from_xml(name: &str, text: &str) -> Result<Topology, TopologyError> {
    let options = ParsingOptions { allow_dtd: true, nodes_limit: XML_NODES_MAX, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options)
        .map_err(|source| TopologyError::XmlSyntax { name: name.to_owned(), source })?;
    let root = document.root_element();
    let reader = Reader { name, document: &document };
    if !root.has_tag_name("topology") {
        let tag = root.tag_name().name();
        return Err(
            reader.wrong(root, format!("the root element is '{tag}', expected 'topology' as hwloc writes"))
        );
    }
    let mut found = ParsedObjects::default();
    for object in root.descendants().filter(|node| node.has_tag_name("object")) {
        reader.object(object, &mut found)?;
    }
    if found.online.is_empty() {
        return Err(TopologyError::NoCpus { name: name.to_owned(), left_out: Vec::new() });
    }
    let kinds = reader.kinds(root)?;
    let distances = reader.distances(root)?;
    found.finish(&reader, kinds, &distances)
}

struct Reader<'d, 'i> {
    name: &'d str,
    document: &'d Document<'i>,
}

struct DomainLine<T> {
    line: u32,
    os_id: Option<u32>,
    cpus: CpuSet,
    rest: T,
}

#[derive(Default)]
struct ParsedObjects {
    online: CpuSet,
    complete: CpuSet,
    allowed: Option<CpuSet>,
    allowed_nodes: Option<BTreeSet<u32>>,
    machine_memory: Option<Bytes>,
    packages: Vec<DomainLine<()>>,
    dies: Vec<DomainLine<()>>,
    clusters: Vec<DomainLine<()>>,
    l3_domains: Vec<DomainLine<Option<Bytes>>>,
    nodes: Vec<DomainLine<(u32, Option<Bytes>)>>,
    cores: Vec<DomainLine<()>>,
}

impl Reader<'_, '_> {
    fn object(&self, object: Node<'_, '_>, found: &mut ParsedObjects) -> Result<(), TopologyError> {
        let kind = object
            .attribute("type")
            .ok_or_else(|| self.wrong(object, "an object has no attribute 'type'".to_owned()))?;
        match kind {
            "Machine" => {
                found.complete = self.set(object, "complete_cpuset")?.unwrap_or_default();
                found.allowed = self.set(object, "allowed_cpuset")?;
                let nodes = self.set(object, "allowed_nodeset")?;
                found.allowed_nodes = nodes.map(|set| set.iter().map(|node| node.0).collect());
                found.machine_memory = self.bytes(object, "local_memory")?;
            }
            "Package" | "Socket" => found.packages.push(self.domain_line(object, ())?),
            "Die" => found.dies.push(self.domain_line(object, ())?),
            "Group" if object.attribute("subtype") == Some("Cluster") => {
                found.clusters.push(self.domain_line(object, ())?)
            }
            "Core" => found.cores.push(self.domain_line(object, ())?),
            "L3Cache" | "Cache" if object.attribute("depth").is_none_or(|depth| depth == "3") => {
                let size = self.bytes(object, "cache_size")?.filter(|size| size.0 > 0);
                found.l3_domains.push(self.domain_line(object, size)?);
            }
            "NUMANode" | "Node" => {
                let memory = self.bytes(object, "local_memory")?;
                found.nodes.push(self.domain_line(object, (self.number(object)?, memory))?);
            }
            "PU" => _ = found.online.insert(CpuId(self.number(object)?)),
            _ => {}
        }
        Ok(())
    }

    fn domain_line<T>(&self, object: Node<'_, '_>, rest: T) -> Result<DomainLine<T>, TopologyError> {
        let cpus = self.set(object, "cpuset")?.ok_or_else(|| {
            let kind = object.attribute("type").unwrap_or_default();
            self.wrong(object, format!("{kind} has no attribute 'cpuset'"))
        })?;
        Ok(DomainLine { line: self.line(object), os_id: self.index(object)?, cpus, rest })
    }

    fn index(&self, object: Node<'_, '_>) -> Result<Option<u32>, TopologyError> {
        let index =
            self.parsed::<i64>(object, "os_index", "a number")?.filter(|index| (0..NO_INDEX).contains(index));
        Ok(index.and_then(|index| u32::try_from(index).ok()))
    }

    /// Reads the number of a CPU or a NUMA node, which must be there.
    fn number(&self, object: Node<'_, '_>) -> Result<u32, TopologyError> {
        let kind = object.attribute("type").unwrap_or_default();
        let missing = || self.wrong(object, format!("{kind} has no attribute 'os_index'"));
        let number = self.index(object)?.ok_or_else(missing)?;
        if number >= NUMBER_MAX {
            return Err(self.wrong_attribute(object, "os_index", "a number below 65536"));
        }
        Ok(number)
    }

    fn bytes(&self, object: Node<'_, '_>, attribute: &str) -> Result<Option<Bytes>, TopologyError> {
        Ok(self.parsed(object, attribute, "a number of bytes")?.map(Bytes))
    }

    fn set(&self, object: Node<'_, '_>, attribute: &str) -> Result<Option<CpuSet>, TopologyError> {
        let Some(text) = object.attribute(attribute) else { return Ok(None) };
        mask::parse(text)
            .map(Some)
            .ok_or_else(|| self.wrong_attribute(object, attribute, "a mask such as 0x0000000f"))
    }

    fn parsed<T: FromStr>(
        &self,
        object: Node<'_, '_>,
        attribute: &str,
        expected: &str,
    ) -> Result<Option<T>, TopologyError> {
        let Some(text) = object.attribute(attribute) else { return Ok(None) };
        text.trim().parse().map(Some).map_err(|_| self.wrong_attribute(object, attribute, expected))
    }

    fn kinds(&self, root: Node<'_, '_>) -> Result<Vec<CoreKind>, TopologyError> {
        let mut kinds = Vec::new();
        for element in root.children().filter(|node| node.has_tag_name("cpukind")) {
            let cpus = self.set(element, "cpuset")?.unwrap_or_default();
            let efficiency: Option<i64> = self.parsed(element, "forced_efficiency", "a number")?;
            let infos: BTreeMap<_, _> = element
                .children()
                .filter(|node| node.has_tag_name("info"))
                .filter_map(|info| Some((info.attribute("name")?, info.attribute("value")?)))
                .collect();
            let core_type = infos.get("CoreType").map(|value| {
                let known = CORE_TYPES.iter().find(|(written, _)| written == value);
                known.map_or(*value, |(_, name)| name).to_owned()
            });
            let by_words = || {
                KIND_WORDS
                    .iter()
                    .find_map(|(info, before, after)| Some(format!("{before}{}{after}", infos.get(info)?)))
            };
            let name = core_type.or_else(by_words).unwrap_or_else(|| "not named".to_owned());
            kinds.push((efficiency, CoreKind { name, cpus }));
        }
        kinds.sort_by_key(|(efficiency, _)| *efficiency);
        Ok(if kinds.len() > 1 { kinds.into_iter().map(|(_, kind)| kind).collect() } else { Vec::new() })
    }

    fn distances(&self, root: Node<'_, '_>) -> Result<BTreeMap<(u32, u32), u32>, TopologyError> {
        let is_latency = |node: &Node<'_, '_>| {
            node.has_tag_name("distances2")
                && node.attribute("type") == Some("NUMANode")
                && node.attribute("indexing") == Some("os")
                && node.attribute("name").is_none_or(|name| name == "NUMALatency")
        };
        let Some(element) = root.children().find(is_latency) else { return Ok(BTreeMap::new()) };
        let indexes = self.numbers(element, "indexes")?;
        let values = self.numbers(element, "u64values")?;
        if values.len() != indexes.len() * indexes.len() {
            let what = format!(
                "distances between {} NUMA nodes need {} numbers in <u64values>, found {}",
                indexes.len(),
                indexes.len() * indexes.len(),
                values.len()
            );
            return Err(self.wrong(element, what));
        }
        let pairs = indexes.iter().flat_map(|from| indexes.iter().map(|to| (*from, *to)));
        Ok(pairs.zip(values).collect())
    }

    fn numbers(&self, element: Node<'_, '_>, tag: &str) -> Result<Vec<u32>, TopologyError> {
        let parts = element.children().filter(|node| node.has_tag_name(tag));
        let words = parts.flat_map(|part| part.text().unwrap_or_default().split_whitespace());
        words
            .map(|word| {
                word.parse().map_err(|_| self.wrong(element, format!("'{word}' in <{tag}> is not a number")))
            })
            .collect()
    }

    fn line(&self, node: Node<'_, '_>) -> u32 {
        self.document.text_pos_at(node.range().start).row
    }

    fn wrong(&self, node: Node<'_, '_>, what: String) -> TopologyError {
        self.wrong_at(self.line(node), what)
    }

    fn wrong_at(&self, line: u32, what: String) -> TopologyError {
        TopologyError::XmlContent { name: self.name.to_owned(), line, what }
    }

    fn wrong_attribute(&self, node: Node<'_, '_>, attribute: &str, expected: &str) -> TopologyError {
        let kind = node.attribute("type").unwrap_or(node.tag_name().name());
        let found = system::files::cut(node.attribute(attribute).unwrap_or_default());
        self.wrong(node, format!("attribute '{attribute}' of {kind} is '{found}', expected {expected}"))
    }
}

impl ParsedObjects {
    fn finish(
        self,
        reader: &Reader<'_, '_>,
        core_kinds: Vec<CoreKind>,
        distances: &BTreeMap<(u32, u32), u32>,
    ) -> Result<Topology, TopologyError> {
        let online = self.online;
        let domain = |line: DomainLine<()>| Domain { os_id: line.os_id, cpus: line.cpus };
        let mut packages: Vec<_> =
            apart(reader, "Package", self.packages, &online)?.into_iter().map(domain).collect();
        let rest = online.difference(&packages.iter().flat_map(|package| package.cpus.iter()).collect());
        if !rest.is_empty() {
            packages.push(Domain { os_id: None, cpus: rest });
            packages.sort_by_key(|package| package.cpus.first());
        }
        let dies = apart(reader, "Die", self.dies, &online)?.into_iter().map(domain).collect();
        let dies = dies_or_packages(dies, &packages);
        let clusters = apart(reader, "Group", self.clusters, &online)?.into_iter().map(domain).collect();
        let l3 = |line: DomainLine<Option<Bytes>>| CacheDomain {
            os_id: line.os_id,
            cpus: line.cpus,
            size: line.rest,
        };
        let l3_domains = apart(reader, "L3Cache", self.l3_domains, &online)?.into_iter().map(l3).collect();
        let mut cores: Vec<_> = apart(reader, "Core", self.cores, &online)?
            .into_iter()
            .map(|line| Core { os_id: line.os_id, cpus: line.cpus, kind: None })
            .collect();
        let rest = online.difference(&cores.iter().flat_map(|core| core.cpus.iter()).collect());
        cores.extend(rest.iter().map(|cpu| Core { os_id: None, cpus: CpuSet::from_iter([cpu]), kind: None }));
        cores.sort_by_key(|core| core.cpus.first());
        for core in &mut cores {
            let first = core.cpus.first();
            core.kind = core_kinds.iter().position(|kind| first.is_some_and(|cpu| kind.cpus.contains(cpu)));
        }
        let numa_nodes = numa_nodes(reader, self.nodes, &online, self.machine_memory, distances)?;
        let all_nodes: BTreeSet<u32> = numa_nodes.iter().map(|node| node.os_id).collect();
        Ok(Topology {
            packages,
            dies,
            clusters,
            l3_domains,
            cores,
            core_kinds,
            offline: self.complete.difference(&online),
            allowed: self.allowed.map_or_else(|| online.clone(), |allowed| allowed.intersection(&online)),
            allowed_numa_nodes: self.allowed_nodes.map_or_else(
                || all_nodes.clone(),
                |allowed| allowed.intersection(&all_nodes).copied().collect(),
            ),
            numa_nodes,
        })
    }
}

/// Reduces domains to the online CPUs, sorts them, and checks that none overlap.
fn apart<T>(
    reader: &Reader<'_, '_>,
    kind: &str,
    lines: Vec<DomainLine<T>>,
    online: &CpuSet,
) -> Result<Vec<DomainLine<T>>, TopologyError> {
    let mut domains: Vec<DomainLine<T>> = Vec::with_capacity(lines.len());
    let mut taken = CpuSet::new();
    for mut domain in lines {
        domain.cpus = domain.cpus.intersection(online);
        let twice = domain.cpus.intersection(&taken);
        if !twice.is_empty() {
            let what =
                format!("this {kind} has {}, which an earlier one has, expected in one only", twice.named());
            return Err(reader.wrong_at(domain.line, what));
        }
        domain.cpus.iter().for_each(|cpu| _ = taken.insert(cpu));
        domains.push(domain);
    }
    domains.retain(|domain| !domain.cpus.is_empty());
    domains.sort_by_key(|domain| domain.cpus.first());
    Ok(domains)
}

fn numa_nodes(
    reader: &Reader<'_, '_>,
    mut lines: Vec<DomainLine<(u32, Option<Bytes>)>>,
    online: &CpuSet,
    machine_memory: Option<Bytes>,
    distances: &BTreeMap<(u32, u32), u32>,
) -> Result<Vec<NumaNode>, TopologyError> {
    if lines.is_empty() {
        lines.push(DomainLine { line: 1, os_id: None, cpus: online.clone(), rest: (0, machine_memory) });
    }
    // hwloc may write memory without near CPUs with the CPUs of the object to which it is attached.
    lines.sort_by_key(|node| (node.cpus.len(), node.rest.0));
    let mut taken = CpuSet::new();
    for node in &mut lines {
        if node.cpus.is_subset(&taken) {
            node.cpus = CpuSet::new();
        }
        node.cpus.iter().for_each(|cpu| _ = taken.insert(cpu));
    }
    let empty: Vec<_> = lines.extract_if(.., |node| node.cpus.intersection(online).is_empty()).collect();
    let mut nodes = apart(reader, "NUMANode", lines, online)?;
    nodes.extend(empty);
    let numbers: Vec<u32> = nodes.iter().map(|node| node.rest.0).collect();
    let mut result = Vec::new();
    for node in nodes {
        let (os_id, memory) = node.rest;
        let distance = |to: &u32| Some((*to, *distances.get(&(os_id, *to))?));
        let mut distances: BTreeMap<u32, u32> = numbers.iter().filter_map(distance).collect();
        if numbers.len() == 1 {
            distances.insert(os_id, LOCAL);
        }
        result.push(NumaNode { os_id, cpus: node.cpus.intersection(online), memory, distances });
    }
    result.sort_by_key(|node| (node.cpus.is_empty(), node.cpus.first(), node.os_id));
    Ok(result)
}
