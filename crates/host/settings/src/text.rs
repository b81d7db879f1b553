//! The kernel's formats for settings: choices in brackets, tables.

use model::{CpuId, CpuSet};

/// Finds the present one in a list of choices such as `always [madvise] never`.
pub(super) fn present_choice(text: &str) -> Option<&str> {
    text.split_whitespace().find_map(|word| word.strip_prefix('[')?.strip_suffix(']'))
}

/// One line of `/proc/interrupts`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Interrupt<'t> {
    /// Its number, or letters such as `LOC`.
    pub(super) id: &'t str,
    pub(super) counts: Vec<(CpuId, u64)>,
    pub(super) name: &'t str,
}

impl Interrupt<'_> {
    pub(super) fn count_on(&self, cpus: &CpuSet) -> u64 {
        self.counts.iter().filter(|(cpu, _)| cpus.contains(*cpu)).map(|(_, count)| count).sum()
    }
}

/// Reads `/proc/interrupts`; the header lists the CPUs of the columns: offline CPUs have no column.
pub(super) fn interrupts(text: &str) -> Vec<Interrupt<'_>> {
    let mut lines = text.lines();
    let cpus: Vec<CpuId> = lines
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .filter_map(|word| word.strip_prefix("CPU")?.parse().ok().map(CpuId))
        .collect();
    lines
        .filter_map(|line| {
            let (id, rest) = line.split_once(':')?;
            let mut counts = Vec::new();
            let mut rest = rest.trim_start();
            for cpu in &cpus {
                let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
                let Ok(count) = word.parse() else { break };
                counts.push((*cpu, count));
                rest = after.trim_start();
            }
            let name = rest.rsplit(char::is_whitespace).next().unwrap_or_default();
            Some(Interrupt { id: id.trim(), counts, name })
        })
        .collect()
}

/// Finds a counter in lines of a name and a number, such as `/proc/vmstat`.
pub(super) fn counter(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok())
}

/// Finds a parameter of the kernel's command line; the last one counts.
pub(super) fn boot_parameter<'t>(command_line: &'t str, name: &str) -> Option<&'t str> {
    let ours = command_line.split_whitespace().take_while(|word| *word != "--");
    ours.filter_map(|word| {
        let rest = word.strip_prefix(name)?;
        if rest.is_empty() { Some("") } else { rest.strip_prefix('=') }
    })
    .last()
}

/// Returns whether a pattern matches a path: `#` stands for a number, `*` for any part of a name.
pub(super) fn path_matches(pattern: &str, path: &str) -> bool {
    let (mut patterns, mut parts) = (pattern.split('/'), path.split('/'));
    loop {
        match (patterns.next(), parts.next()) {
            (None, None) => return true,
            (Some(pattern), Some(part)) if name_matches(pattern, part) => {}
            _ => return false,
        }
    }
}

pub(super) fn name_matches(pattern: &str, name: &str) -> bool {
    let Some(at) = pattern.find(['#', '*']) else { return pattern == name };
    let (before, after) = (&pattern[..at], &pattern[at + 1..]);
    let middle = name.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
    match middle {
        Some(middle) if pattern.as_bytes()[at] == b'#' => {
            !middle.is_empty() && middle.bytes().all(|byte| byte.is_ascii_digit())
        }
        Some(_) => true,
        None => false,
    }
}

/// Orders paths so that `cpu2` comes before `cpu10`.
pub(super) fn natural_order(path: &str) -> Vec<(String, u64)> {
    let mut parts = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        let words = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let digits = rest[words..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |end| words + end);
        parts.push((rest[..words].to_owned(), rest[words..digits].parse().unwrap_or(0)));
        rest = &rest[digits..];
    }
    parts
}

pub(super) fn some_of<T: AsRef<str>>(names: &[T]) -> String {
    /// More are not read.
    const SHOWN: usize = 6;
    let mut text = names.iter().take(SHOWN).map(AsRef::as_ref).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        text.push_str(&format!(" and {} more", names.len() - SHOWN));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interrupts_have_a_count_for_each_cpu() {
        let text = "           CPU0       CPU2\n 24:   1   7  IO-APIC   5-edge      ACPI:Ged\nLOC:  10  20   Local timer interrupts\nERR:   0\n";
        let lines = interrupts(text);
        assert_eq!(lines[0].counts, [(CpuId(0), 1), (CpuId(2), 7)]);
        assert_eq!((lines[0].id, lines[0].name), ("24", "ACPI:Ged"));
        assert_eq!(lines[1].count_on(&"1-2".parse().unwrap()), 20);
        assert_eq!(lines[2].counts.len(), 1);
        assert!(interrupts("").is_empty());
    }

    #[test]
    fn patterns_name_numbers_and_names() {
        for (pattern, path, expected) in [
            ("/sys/cpu#/x", "/sys/cpu10/x", true),
            ("/sys/cpu#/x", "/sys/cpufreq/x", false),
            ("/sys/cpu#/x", "/sys/cpu/x", false),
            ("/net/*/rx-#/rps", "/net/eth0/rx-0/rps", true),
            ("/net/*/rx-#/rps", "/net/eth0/rx-0", false),
            ("/proc/stat", "/proc/stat", true),
        ] {
            assert_eq!(path_matches(pattern, path), expected, "{pattern} {path}");
        }
        assert!(natural_order("/cpu2/a") < natural_order("/cpu10/a"));
    }

    #[test]
    fn boot_parameters_end_where_the_first_programs_begin() {
        let line = "quiet isolcpus=1 nohz isolcpus=2 -- isolcpus=3";
        assert_eq!(boot_parameter(line, "isolcpus"), Some("2"));
        assert_eq!(boot_parameter(line, "nohz"), Some(""));
        assert_eq!(boot_parameter(line, "iso"), None);
    }

    #[test]
    fn choices_and_counters() {
        assert_eq!(present_choice("always [madvise] never"), Some("madvise"));
        assert_eq!(present_choice("always"), None);
        assert_eq!(counter("thp_fault_alloc 5\nthp_fault_alloc_x 6\n", "thp_fault_alloc"), Some(5));
        assert_eq!(some_of(&["a", "b"]), "a, b");
    }
}
