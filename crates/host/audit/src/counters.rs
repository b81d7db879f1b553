//! Counts of interrupts: `/proc/interrupts` and `/proc/softirqs` by row.

use super::parse::leading_number;
use model::{CpuId, CpuSet, RunnerKind};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use system::Roots;

/// The files have some MiB on machines with hundreds of CPUs and interrupts; a larger file is not a counter file.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// The processor's own interrupts, by their names in the kernel's events.
const LOCAL_NAMES: &[(&str, &str)] = &[
    ("LOC", "local_timer"),
    ("RES", "reschedule"),
    ("CAL", "call_function"),
    ("IWI", "irq_work"),
    ("TRM", "thermal_apic"),
];

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row {
    pub kind: RunnerKind,
    pub name: String,
    pub number: Option<u32>,
}

pub type Counts = BTreeMap<Row, u64>;

pub fn read(roots: &Roots, cpus: &CpuSet) -> io::Result<Counts> {
    let text = |name: &str| {
        let mut text = String::new();
        File::open(roots.proc.join(name))?.take(FILE_BYTES_MAX).read_to_string(&mut text).map(|_| text)
    };
    match (text("interrupts"), text("softirqs")) {
        (Err(error), Err(_)) => Err(error),
        (interrupts, soft) => {
            let mut counts = rows(&interrupts.unwrap_or_default(), cpus, RunnerKind::Interrupt);
            counts.extend(rows(&soft.unwrap_or_default(), cpus, RunnerKind::SoftInterrupt));
            Ok(counts)
        }
    }
}

pub fn since(before: &Counts, after: &Counts) -> Counts {
    after
        .iter()
        .map(|(row, count)| (row.clone(), count.saturating_sub(before.get(row).copied().unwrap_or(0))))
        .filter(|(_, count)| *count > 0)
        .collect()
}

fn rows(text: &str, cpus: &CpuSet, kind: RunnerKind) -> Counts {
    let mut lines = text.lines();
    // The header lists the CPUs of the columns: offline CPUs have no column.
    let wanted: Vec<bool> = lines
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .map(|word| word.strip_prefix("CPU").and_then(|number| number.parse().ok()))
        .map(|number| number.is_some_and(|number| cpus.contains(CpuId(number))))
        .collect();
    let mut counts = Counts::new();
    for line in lines {
        let Some((label, rest)) = line.split_once(':') else { continue };
        let words: Vec<&str> = rest.split_whitespace().collect();
        let numbers: Vec<u64> = words.iter().take(wanted.len()).map_while(|word| word.parse().ok()).collect();
        // A row with fewer numbers, such as `ERR`, counts for the whole machine.
        if numbers.len() < wanted.len() {
            continue;
        }
        let count: u64 =
            numbers.iter().zip(&wanted).filter(|(_, wanted)| **wanted).map(|(number, _)| number).sum();
        let label = label.trim();
        let number = label.parse().ok();
        let name = name(kind, label, number.is_some(), &words[wanted.len()..]);
        *counts.entry(Row { kind, name, number }).or_insert(0) += count;
    }
    counts
}

/// Returns a row's name; for a device such as `PCI-MSIX-0000:00:01.0 0-edge virtio0-config` the name of its user.
fn name(kind: RunnerKind, label: &str, is_device: bool, description: &[&str]) -> String {
    if kind == RunnerKind::SoftInterrupt {
        return label.to_owned();
    }
    if let Some((_, name)) = LOCAL_NAMES.iter().find(|(known, _)| *known == label) {
        return (*name).to_owned();
    }
    let line_kind =
        |word: &&&str| leading_number(word.as_bytes()).is_some_and(|(_, rest)| rest.starts_with(b"-"));
    let asked_for = match description.iter().position(|word| line_kind(&word)) {
        Some(at) if is_device => &description[at + 1..],
        _ if is_device => &description[description.len().saturating_sub(1)..],
        _ => description,
    };
    if asked_for.is_empty() { label.to_owned() } else { asked_for.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_named_and_counted_on_their_cpus() {
        let before = "\
           CPU0       CPU2
 24:          1          5  PCI-MSIX-0000:00:01.0   0-edge      virtio0-config
  9:          0          2   IO-APIC   9-fasteoi   acpi, other
 12:          0          2   GICv3 arch_timer
LOC:        100        200   Local timer interrupts
TLB:          1          1   TLB shootdowns
ERR:          3
";
        let after = before
            .replace("5  PCI", "9  PCI")
            .replace("200", "250")
            .replace("100", "170")
            .replace("1   TLB", "2   TLB")
            .replace("2   GIC", "3   GIC")
            .replace("ERR:          3", "ERR:          9");
        let counts = |text: &str| rows(text, &"2".parse().unwrap(), RunnerKind::Interrupt);
        let change: Vec<_> = since(&counts(before), &counts(&after))
            .into_iter()
            .map(|(row, count)| (row.name, row.number, count))
            .collect();
        let expected = [
            ("TLB shootdowns", None, 1),
            ("arch_timer", Some(12), 1),
            ("local_timer", None, 50),
            ("virtio0-config", Some(24), 4),
        ];
        assert_eq!(change, expected.map(|(name, number, count)| (name.to_owned(), number, count)));
        assert!(counts(before).keys().any(|row| row.name == "acpi, other"));
    }

    #[test]
    fn malformed_text_gives_no_rows() {
        for text in ["", "CPU0\n", "CPU0\nLOC\n", "CPU0\nLOC: x\n"] {
            assert!(rows(text, &"0".parse().unwrap(), RunnerKind::Interrupt).is_empty(), "{text}");
        }
    }
}
