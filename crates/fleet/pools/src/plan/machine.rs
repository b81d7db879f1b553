//! Which machines a pool can take.

use crate::{BUILD_LABEL, HARDWARE_LABEL, JudgePool, Machine, Seen, TIMING_TAINT, bytes};
use kube::ResourceExt;
use std::collections::{BTreeMap, BTreeSet};

/// Returns machines that the pool can take, in the order of their names.
pub fn free_machines<'a>(pool: &JudgePool, seen: &'a Seen) -> Vec<(&'a String, &'a Machine)> {
    let taken: BTreeSet<String> = seen.nodes.iter().map(|node| node.name_any()).collect();
    let is_free =
        |(name, machine): &(&String, &Machine)| !taken.contains(*name) && objection(pool, machine).is_none();
    seen.machines.iter().filter(is_free).collect()
}

/// Returns why a machine cannot judge for a pool.
pub fn objection(pool: &JudgePool, machine: &Machine) -> Option<String> {
    let spec = &pool.spec;
    let (cpus, memory) = (u64::from(spec.cpus()) * 1000, bytes(&spec.memory));
    if machine.labels.get(HARDWARE_LABEL) != Some(&spec.hardware) {
        return Some(format!("it is not labelled {HARDWARE_LABEL}={}", spec.hardware));
    }
    if machine.labels.contains_key(BUILD_LABEL) || machine.taints.iter().any(|key| key == BUILD_LABEL) {
        return Some("it builds images, which executes what others wrote".to_owned());
    }
    if !machine.is_ready {
        return Some("it is not ready".to_owned());
    }
    if machine.is_cordoned {
        return Some("it is cordoned".to_owned());
    }
    let is_tolerated = |key: &String| key == TIMING_TAINT;
    if let Some(key) = machine.taints.iter().find(|key| !is_tolerated(key)) {
        return Some(format!("it has the taint {key}"));
    }
    if machine.cpu_milli < cpus || memory.is_some_and(|bytes| machine.memory_bytes < bytes) {
        return Some(format!(
            "pods may have {} CPUs and {} MiB of it, and a judgehost needs {} CPUs and {}",
            machine.cpu_milli / 1000,
            machine.memory_bytes >> 20,
            spec.cpus(),
            spec.memory
        ));
    }
    None
}

/// Says why there are too few machines.
pub fn why_none(pool: &JudgePool, seen: &Seen, lacking: u32) -> String {
    let hardware = &pool.spec.hardware;
    let of_class: Vec<_> = seen
        .machines
        .iter()
        .filter(|(_, machine)| machine.labels.get(HARDWARE_LABEL) == Some(hardware))
        .collect();
    let more =
        if lacking == 1 { "1 more machine is".to_owned() } else { format!("{lacking} more machines are") };
    if of_class.is_empty() {
        let classes: BTreeSet<&String> =
            seen.machines.values().filter_map(|machine| machine.labels.get(HARDWARE_LABEL)).collect();
        let classes: Vec<&str> = classes.into_iter().map(String::as_str).collect();
        let known = if classes.is_empty() {
            "no node has that label".to_owned()
        } else {
            format!("nodes have {}", classes.join(", "))
        };
        return format!("{more} needed, and no node is labelled {HARDWARE_LABEL}={hardware}: {known}");
    }
    let taken: BTreeMap<String, &str> =
        seen.nodes.iter().map(|node| (node.name_any(), node.spec.pool.as_str())).collect();
    let why = of_class.iter().find_map(|(name, machine)| match taken.get(*name) {
        Some(other) if *other != pool.name_any() => Some(format!("{name} judges for pool {other}")),
        Some(_) => None,
        None => objection(pool, machine).map(|why| format!("{name}: {why}")),
    });
    let why = why.unwrap_or_else(|| "all are in use, drained or out".to_owned());
    format!("{more} needed than the {} of class {hardware}; {why}", of_class.len())
}
