//! The machine as nested domains.
//!
//! Firmware nests its parts in more than one way: a NUMA node may hold several L3 domains, or be a part of
//! one, or hold several packages. So the tree is made from the sets of cores themselves, the largest first.

use crate::Span;
use std::collections::BTreeSet;
use std::ops::Range;

#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub parent: Option<usize>,
    /// Parts inside, by their lowest CPU; empty in the innermost.
    pub children: Vec<usize>,
    /// How wide it is among the spans of this machine, 0 being the narrowest; `None` for cores that are in no domain
    /// where other cores are.
    pub rank: Option<usize>,
    /// The narrowest span that it is a domain of.
    pub span: Option<Span>,
    /// Whether it lies inside one domain of each span, by [`Span::ALL`].
    pub inside: [bool; 5],
    /// Its cells, which are contiguous.
    pub cells: Range<usize>,
    /// Its cores, which are contiguous.
    pub cores: Range<usize>,
    /// Its names, the most informative first.
    pub names: Vec<String>,
}

/// A domain of the topology, as the set of its cores.
pub(crate) struct Domain {
    pub span: Span,
    pub number: u32,
    pub cores: BTreeSet<usize>,
}

/// A part while the tree is built.
pub(crate) struct Draft {
    pub children: Vec<usize>,
    pub cores: BTreeSet<usize>,
    /// What it is, from the widest: a part may be both a package and a NUMA node.
    pub is: Vec<(Span, u32)>,
}

/// Nests the domains; the first part is the whole machine. A domain that crosses a larger one is left out.
pub(crate) fn nest(core_count: usize, mut domains: Vec<Domain>) -> Vec<Draft> {
    domains.retain(|domain| !domain.cores.is_empty());
    // Stable: of equal sets the wider span comes first.
    domains.sort_by_key(|domain| {
        (std::cmp::Reverse(domain.cores.len()), std::cmp::Reverse(domain.span), domain.cores.first().copied())
    });
    let all = (0..core_count).collect();
    let mut parts = vec![Draft { children: Vec::new(), cores: all, is: vec![(Span::Machine, 0)] }];
    for domain in domains {
        let mut at = 0;
        while parts[at].cores != domain.cores {
            let holds = |child: &&usize| domain.cores.is_subset(&parts[**child].cores);
            let Some(child) = parts[at].children.iter().find(holds) else { break };
            at = *child;
        }
        if parts[at].cores == domain.cores {
            parts[at].is.push((domain.span, domain.number));
            continue;
        }
        let crosses = parts[at].children.iter().any(|child| !parts[*child].cores.is_disjoint(&domain.cores));
        if !crosses {
            add(&mut parts, at, domain.cores, vec![(domain.span, domain.number)]);
        }
    }
    for at in 0..parts.len() {
        let inside: BTreeSet<usize> =
            parts[at].children.iter().flat_map(|child| parts[*child].cores.iter().copied()).collect();
        if !inside.is_empty() && inside.len() < parts[at].cores.len() {
            let rest = parts[at].cores.difference(&inside).copied().collect();
            add(&mut parts, at, rest, Vec::new());
        }
    }
    for at in 0..parts.len() {
        let mut children = std::mem::take(&mut parts[at].children);
        children.sort_by_key(|child| parts[*child].cores.first().copied());
        parts[at].children = children;
    }
    parts
}

fn add(parts: &mut Vec<Draft>, parent: usize, cores: BTreeSet<usize>, is: Vec<(Span, u32)>) {
    let new = parts.len();
    parts[parent].children.push(new);
    parts.push(Draft { children: Vec::new(), cores, is });
}

/// Orders the spans by the average number of cores in a domain, the narrowest first.
///
/// Not a fixed order: a processor may be split into NUMA nodes that share one L3 cache.
pub(crate) fn spans_by_width(parts: &[Draft]) -> Vec<Span> {
    let mut widths: Vec<(usize, Span)> = Span::ALL
        .into_iter()
        .filter_map(|span| {
            let of_span = |part: &&Draft| part.is.iter().any(|(is, _)| *is == span);
            let sizes: Vec<usize> = parts.iter().filter(of_span).map(|part| part.cores.len()).collect();
            // In thousandths, because integers can be ordered.
            (!sizes.is_empty()).then(|| (sizes.iter().sum::<usize>() * 1000 / sizes.len(), span))
        })
        .collect();
    widths.sort_unstable();
    widths.into_iter().map(|(_, span)| span).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn domain(span: Span, number: u32, cores: Range<usize>) -> Domain {
        Domain { span, number, cores: cores.collect() }
    }

    /// Prints each part as its spans, its cores, and its children in parentheses.
    fn shown(parts: &[Draft], at: usize) -> String {
        let part = &parts[at];
        let names: Vec<_> = part.is.iter().map(|(span, number)| format!("{}{number}", span.id())).collect();
        let inner: Vec<_> = part.children.iter().map(|child| shown(parts, *child)).collect();
        let cores = part.cores.iter().map(ToString::to_string).collect::<String>();
        format!("{}:{cores}({})", names.join("+"), inner.join(" "))
    }

    #[test]
    fn parts_nest_as_their_cores_do() {
        use Span::{L3Domain as L3, NumaNode as Numa, Package};
        for (cores, domains, expect) in [
            (2, vec![], "machine0:01()"),
            (
                4,
                vec![
                    domain(Package, 0, 0..4),
                    domain(Numa, 0, 0..2),
                    domain(Numa, 1, 2..4),
                    domain(L3, 0, 0..4),
                ],
                "machine0+package0+l3_domain0:0123(numa_node0:01() numa_node1:23())",
            ),
            (
                4,
                vec![
                    domain(Numa, 0, 0..4),
                    domain(Package, 0, 0..2),
                    domain(Package, 1, 2..4),
                    domain(L3, 7, 2..4),
                ],
                "machine0+numa_node0:0123(package0:01() package1+l3_domain7:23())",
            ),
            // One domain crosses others, and one leaves out a core.
            (
                4,
                vec![domain(Package, 0, 0..3), domain(L3, 0, 2..4), domain(L3, 1, 0..1)],
                "machine0:0123(package0:012(l3_domain1:0() :12()) :3())",
            ),
        ] {
            assert_eq!(shown(&nest(cores, domains), 0), expect);
        }
    }

    #[test]
    fn the_narrowest_span_is_found_by_size() {
        let parts = nest(
            8,
            vec![
                domain(Span::L3Domain, 0, 0..4),
                domain(Span::L3Domain, 1, 4..8),
                domain(Span::NumaNode, 0, 0..2),
                domain(Span::NumaNode, 1, 2..4),
            ],
        );
        assert_eq!(spans_by_width(&parts), [Span::NumaNode, Span::L3Domain, Span::Machine]);
    }
}
