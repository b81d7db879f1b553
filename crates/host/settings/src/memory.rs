//! Huge pages, merged pages, swap.

use super::Entry;
use super::finding::{Change, Finding, View, number};
use super::text::{boot_parameter, counter, present_choice};

const HUGE: &str = "/sys/kernel/mm/transparent_hugepage/enabled";
const HUGE_DEFRAG: &str = "/sys/kernel/mm/transparent_hugepage/defrag";
const KHUGEPAGED: &str = "/sys/kernel/mm/transparent_hugepage/khugepaged/defrag";
const KSM: &str = "/sys/kernel/mm/ksm/run";
const KSM_SHARING: &str = "/sys/kernel/mm/ksm/pages_sharing";
const SWAPS: &str = "/proc/swaps";
const SWAPPINESS: &str = "/proc/sys/vm/swappiness";
const RESERVED: &str = "/proc/sys/vm/nr_hugepages";
const V1_SWAP: &str = "/sys/fs/cgroup/memory/memory.memsw.limit_in_bytes";
const V2_SWAP: &str = "/sys/fs/cgroup/*/memory.swap.max";
const HUGE_PAGE: &str = "Documentation/admin-guide/mm/transhuge.rst";

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        id: "huge-pages",
        name: "transparent huge pages",
        effect: "with 'always', how much of a program lies in huge pages depends on how memory is cut up at that time: up to tens of per cent",
        source: HUGE_PAGE,
        cost: "programs that gain from huge pages have to ask for them (madvise)",
        reads: &[HUGE],
        judge: huge_pages,
    },
    Entry {
        id: "huge-page-defrag",
        name: "huge page defragmentation",
        effect: "a page fault stops to move other pages together, for up to ms",
        source: HUGE_PAGE,
        cost: "fewer huge pages when memory is cut up",
        reads: &[HUGE_DEFRAG],
        judge: huge_page_defrag,
    },
    Entry {
        id: "khugepaged",
        name: "khugepaged",
        effect: "a kernel thread copies small pages into huge ones behind a program's back, and locks its memory meanwhile",
        source: HUGE_PAGE,
        cost: "long-lived programs get fewer huge pages",
        reads: &[KHUGEPAGED],
        judge: khugepaged,
    },
    Entry {
        id: "page-merging",
        name: "page merging (KSM)",
        effect: "a kernel thread compares pages, and the next write to a merged page faults and copies it",
        source: "Documentation/admin-guide/mm/ksm.rst",
        cost: "more memory for virtual machines that merge pages",
        reads: &[KSM, KSM_SHARING],
        judge: page_merging,
    },
    Entry {
        id: "swap",
        name: "swap",
        effect: "a program that is swapped waits for the disk, ms for each page, and limits on memory become vague",
        source: "Documentation/admin-guide/sysctl/vm.rst (swappiness), cgroup-v2.rst (memory.swap.max)",
        cost: "what does not fit into memory is ended",
        reads: &[SWAPS],
        judge: swap,
    },
    Entry {
        id: "swappiness",
        name: "swappiness",
        effect: "above 0 the kernel swaps programs to keep files cached",
        source: "Documentation/admin-guide/sysctl/vm.rst (swappiness)",
        cost: "fewer files are cached when memory is scarce",
        reads: &[SWAPPINESS],
        judge: swappiness,
    },
    Entry {
        id: "swap-accounting",
        name: "swap accounting",
        effect: "without it a run may swap beyond its limit on memory",
        source: "Documentation/admin-guide/cgroup-v1/memory.rst (memsw), cgroup-v2.rst (memory.swap.max)",
        cost: "some memory for the kernel's books",
        reads: &[V1_SWAP, V2_SWAP],
        judge: swap_accounting,
    },
    Entry {
        id: "reserved-huge-pages",
        name: "reserved huge pages",
        effect: "runs cannot use the memory that is set aside, so that less is left to give out",
        source: "Documentation/admin-guide/mm/hugetlbpage.rst",
        cost: "programs that map huge pages by themselves fail",
        reads: &[RESERVED],
        judge: reserved,
    },
];

fn choice<'v>(view: &'v View<'_>, path: &str) -> Result<(&'v str, &'v str), Finding> {
    let text = view.feature(path)?;
    let present = present_choice(text).ok_or_else(|| {
        Finding::unavailable(format!(
            "{path} holds '{}', without a choice in brackets",
            system::files::cut(text)
        ))
    })?;
    Ok((text, present))
}

fn huge_pages(view: &View<'_>) -> Result<Finding, Finding> {
    let (text, present) = choice(view, HUGE)?;
    if present != "always" {
        return Ok(Finding::pass(present));
    }
    let here = view.known("/proc/vmstat").and_then(|vmstat| {
        let (got, missed) = (counter(vmstat, "thp_fault_alloc")?, counter(vmstat, "thp_fault_fallback")?);
        Some(format!("since boot {got} faults got a huge page, {missed} did not"))
    });
    Ok(Finding::fail(present).here(here).write([Change::of_choice(HUGE, text, present, "madvise")]))
}

fn huge_page_defrag(view: &View<'_>) -> Result<Finding, Finding> {
    let (text, present) = choice(view, HUGE_DEFRAG)?;
    if present != "always" {
        return Ok(Finding::pass(present));
    }
    let stalls = view.known("/proc/vmstat").and_then(|vmstat| counter(vmstat, "compact_stall"));
    let here = stalls.map(|stalls| format!("{stalls} stalls since boot"));
    Ok(Finding::caution(present).here(here).write([Change::of_choice(HUGE_DEFRAG, text, present, "madvise")]))
}

fn khugepaged(view: &View<'_>) -> Result<Finding, Finding> {
    let on = view.feature(KHUGEPAGED)?;
    if number(KHUGEPAGED, on)? == 0 {
        return Ok(Finding::pass("does not move pages"));
    }
    if view.known(HUGE).is_some_and(|text| present_choice(text) == Some("never")) {
        return Ok(Finding::pass("idle, since huge pages are off"));
    }
    let collapsed = view.known("/proc/vmstat").and_then(|vmstat| counter(vmstat, "thp_collapse_alloc"));
    let here = collapsed.map(|count| format!("{count} huge pages made since boot"));
    Ok(Finding::caution("on").here(here).write([Change::new(KHUGEPAGED, on, "0")]))
}

fn page_merging(view: &View<'_>) -> Result<Finding, Finding> {
    let run = view.feature(KSM)?;
    if number(KSM, run)? != 1 {
        return Ok(Finding::pass("off"));
    }
    let here = view.known(KSM_SHARING).map(|pages| format!("{pages} pages are merged now"));
    Ok(Finding::caution("on").here(here).write([Change::new(KSM, run, "0")]))
}

/// Lists the swap areas, with their use (KiB).
fn swap_places(view: &View<'_>) -> Result<Vec<(String, u64)>, Finding> {
    let lines = view.file(SWAPS)?.lines().skip(1);
    Ok(lines
        .filter_map(|line| {
            let words: Vec<_> = line.split_whitespace().collect();
            Some(((*words.first()?).to_owned(), words.get(3)?.parse().ok()?))
        })
        .collect())
}

fn swap(view: &View<'_>) -> Result<Finding, Finding> {
    let places = swap_places(view)?;
    if places.is_empty() {
        return Ok(Finding::pass("none"));
    }
    let used: u64 = places.iter().map(|(_, used)| used).sum();
    let here = view.known("/proc/vmstat").and_then(|vmstat| {
        let (read, written) = (counter(vmstat, "pswpin")?, counter(vmstat, "pswpout")?);
        Some(format!("{read} pages read back and {written} written since boot"))
    });
    let names: Vec<_> = places.into_iter().map(|(name, _)| name).collect();
    let found = format!("{}, {} MiB in use", names.join(", "), used >> 10);
    let finding = if used > 0 { Finding::fail(found) } else { Finding::caution(found) };
    Ok(finding.here(here).person("swapoff -a"))
}

fn swappiness(view: &View<'_>) -> Result<Finding, Finding> {
    let text = view.file(SWAPPINESS)?;
    let value = number(SWAPPINESS, text)?;
    Ok(if value == 0 {
        Finding::pass("0")
    } else if swap_places(view).is_ok_and(|places| places.is_empty()) {
        Finding::pass(format!("{value}, without any swap"))
    } else {
        Finding::caution(text).write([Change::new(SWAPPINESS, text, "0")])
    })
}

fn swap_accounting(view: &View<'_>) -> Result<Finding, Finding> {
    if swap_places(view)?.is_empty() {
        return Ok(Finding::pass("no swap to account for"));
    }
    let off =
        view.known("/proc/cmdline").is_some_and(|line| boot_parameter(line, "swapaccount") == Some("0"));
    let found = view.known(V1_SWAP).is_some() || !view.snapshot.all(V2_SWAP).is_empty();
    Ok(if found && !off {
        Finding::pass("on")
    } else {
        Finding::fail("no control group limits swap").boot(["swapaccount=1".to_owned()])
    })
}

fn reserved(view: &View<'_>) -> Result<Finding, Finding> {
    let text = view.feature(RESERVED)?;
    Ok(if number(RESERVED, text)? == 0 {
        Finding::pass("none")
    } else {
        Finding::caution(format!("{text} pages"))
            .person("sysctl -w vm.nr_hugepages=0  (where no program maps them)")
    })
}
