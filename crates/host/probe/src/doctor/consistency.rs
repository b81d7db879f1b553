//! Does the same code take the same time?

use super::{Area, Check, Status};
use crate::Machine;
use model::Reading;

/// More of all time than this taken by the hypervisor shows in times of runs.
const STEAL_SHARE_MAX: f64 = 0.001;

pub(super) fn checks(machine: &Machine, doubts: &Reading<Vec<String>>) -> Vec<Check> {
    vec![
        topology(doubts),
        siblings(machine),
        governor(machine),
        turbo(machine),
        steal(machine),
        swap(machine),
        huge_pages(machine),
        address_randomisation(machine),
        autogroup(machine),
        clock_source(machine),
    ]
}

fn check(name: &'static str, status: Status, what: impl Into<String>, why: impl Into<String>) -> Check {
    Check::new(Area::Consistency, name, status, what, why)
}

/// Makes a check of a reading: `judge` says the status and what was found.
fn judged<T>(
    name: &'static str,
    reading: &Reading<T>,
    why: &str,
    judge: impl FnOnce(&T) -> (Status, String),
) -> Check {
    match reading {
        Reading::Known(value) => {
            let (status, what) = judge(value);
            check(name, status, what, why)
        }
        Reading::Unavailable(reason) => check(name, Status::Unavailable, "not known", reason),
    }
}

/// Passes if `good`, else cautions.
fn pass_if(good: bool) -> Status {
    if good { Status::Pass } else { Status::Caution }
}

fn topology(doubts: &Reading<Vec<String>>) -> Check {
    let why = "timed runs are placed by which CPUs share a core, a cache or memory; what cannot be true is not used";
    judged("topology", doubts, why, |doubts| {
        let what =
            if doubts.is_empty() { "told without contradiction".to_owned() } else { doubts.join("; ") };
        (pass_if(doubts.is_empty()), what)
    })
}

fn siblings(machine: &Machine) -> Check {
    let why =
        "two CPUs of one core slow each other down by a third or more; a timed run leaves the sibling idle";
    judged("SMT siblings", &machine.cpus.sibling_groups, why, |groups| {
        let texts: Vec<_> = groups.iter().map(ToString::to_string).collect();
        let what = if texts.is_empty() {
            "none online".to_owned()
        } else {
            format!("share a core: {}", texts.join(" "))
        };
        (pass_if(groups.is_empty()), what)
    })
    .fix("echo off > /sys/devices/system/cpu/smt/control")
}

fn governor(machine: &Machine) -> Check {
    let why = "other governors change the frequency while a program runs";
    judged("frequency governor", &machine.cpus.governors, why, |names| {
        (pass_if(names.iter().all(|name| name == "performance")), names.join(", "))
    })
    .fix_if_known(
        "for f in /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor; do echo performance > $f; done",
    )
}

fn turbo(machine: &Machine) -> Check {
    let why = "the frequency then depends on heat and on what the other cores do";
    judged("turbo", &machine.cpus.turbo, why, |on| (pass_if(!on), if *on { "on" } else { "off" }.to_owned()))
        .fix_if_known(
            "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo || echo 0 > /sys/devices/system/cpu/cpufreq/boost",
        )
}

fn steal(machine: &Machine) -> Check {
    let why = "the hypervisor runs other machines on our CPUs; ask for dedicated CPUs";
    judged("steal since boot", &machine.steal_share, why, |share| {
        (pass_if(*share <= STEAL_SHARE_MAX), format!("{:.3} % of all time", share * 100.0))
    })
}

fn swap(machine: &Machine) -> Check {
    let why = "a program that is swapped waits for the disk, and memory limits become vague";
    judged("swap", &machine.memory.swap, why, |swap| {
        (pass_if(swap.0 == 0), if swap.0 == 0 { "off".to_owned() } else { swap.to_string() })
    })
    .fix_if_known("swapoff -a")
}

fn huge_pages(machine: &Machine) -> Check {
    let why =
        "with 'always', whether a program gets huge pages depends on how the memory is cut up at that time";
    judged("huge pages", &machine.memory.huge_pages, why, |choice| {
        (pass_if(choice != "always"), choice.clone())
    })
    .fix_if_known("echo madvise > /sys/kernel/mm/transparent_hugepage/enabled")
}

fn address_randomisation(machine: &Machine) -> Check {
    let why = "random addresses change how data falls into the caches from run to run";
    judged("address randomisation", &machine.isolation.address_randomisation, why, |level| {
        (pass_if(*level == 0), if *level == 0 { "off".to_owned() } else { format!("on (level {level})") })
    })
    .fix_if_known("sysctl -w kernel.randomize_va_space=0")
}

fn autogroup(machine: &Machine) -> Check {
    const NAME: &str = "autogroup";
    let why =
        "CPU time is shared by login session first, so that a low priority elsewhere still takes half a core";
    match &machine.kernel.autogroup {
        // A kernel without it has no file for it.
        Reading::Unavailable(_) => check(NAME, Status::Pass, "not in this kernel", why),
        reading => judged(NAME, reading, why, |on| (pass_if(!on), if *on { "on" } else { "off" }.to_owned()))
            .fix_if_known("sysctl -w kernel.sched_autogroup_enabled=0"),
    }
}

fn clock_source(machine: &Machine) -> Check {
    let why = "a slow clock makes every reading of the time cost microseconds";
    judged("clock source", &machine.kernel.clock_source, why, |name| {
        let slow = ["acpi_pm", "hpet", "jiffies", "refined-jiffies", "pit"].contains(&name.as_str());
        (pass_if(!slow), name.clone())
    })
    .fix_if_known("echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource")
}

impl Check {
    /// Adds the command unless the setting is not there at all, where it would fail.
    fn fix_if_known(self, command: &str) -> Self {
        if self.status == Status::Unavailable { self } else { self.fix(command) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, examine_tree, good_tree};
    use super::*;

    #[test]
    fn what_the_machine_tells_wrong_is_a_caution() {
        let doubts = Reading::Known(vec!["/sys/a holds 'b'; it is left out".to_owned()]);
        let check = topology(&doubts);
        assert_eq!(
            (check.status, check.what.as_str()),
            (Status::Caution, "/sys/a holds 'b'; it is left out")
        );
        assert_eq!(topology(&Reading::Known(Vec::new())).status, Status::Pass);
        assert_eq!(topology(&Reading::unavailable("x")).status, Status::Unavailable);
    }

    #[test]
    fn what_spreads_times_is_a_caution_with_its_command() {
        let cases = [
            (
                "sys/devices/system/cpu/cpu0/topology/core_cpus_list",
                "0-1\n",
                "SMT siblings",
                "echo off > /sys/devices/system/cpu/smt/control",
            ),
            ("proc/meminfo", "SwapTotal: 4 kB\n", "swap", "swapoff -a"),
            (
                "sys/kernel/mm/transparent_hugepage/enabled",
                "[always] madvise never\n",
                "huge pages",
                "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
            ),
            (
                "proc/sys/kernel/randomize_va_space",
                "2\n",
                "address randomisation",
                "sysctl -w kernel.randomize_va_space=0",
            ),
            (
                "proc/sys/kernel/sched_autogroup_enabled",
                "1\n",
                "autogroup",
                "sysctl -w kernel.sched_autogroup_enabled=0",
            ),
            (
                "sys/devices/system/cpu/intel_pstate/no_turbo",
                "0\n",
                "turbo",
                "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo || echo 0 > /sys/devices/system/cpu/cpufreq/boost",
            ),
            (
                "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor",
                "powersave\n",
                "frequency governor",
                "for f in /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor; do echo performance > $f; done",
            ),
            (
                "sys/devices/system/clocksource/clocksource0/current_clocksource",
                "hpet\n",
                "clock source",
                "echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource",
            ),
        ];
        for (file, content, name, fix) in cases {
            check(&[(file, content)], name, Status::Caution, Some(fix));
        }
    }

    #[test]
    fn steal_counts_from_a_thousandth() {
        let stat = |steal: u32| format!("cpu0 0 0 0 99000 0 0 0 {steal}\ncpu1 0 0 0 0 0 0 0 0\n");
        check(&[("proc/stat", &stat(50))], "steal since boot", Status::Pass, None);
        check(&[("proc/stat", &stat(500))], "steal since boot", Status::Caution, None);
    }

    #[test]
    fn a_virtual_machine_without_frequencies_says_so() {
        let tree = good_tree();
        tree.remove("sys/devices/system/cpu/intel_pstate/no_turbo");
        let checks = examine_tree(&tree);
        let turbo = checks.iter().find(|check| check.name == "turbo").unwrap();
        assert_eq!((turbo.status, turbo.fix.as_deref()), (Status::Unavailable, None));
        assert!(turbo.why.contains("the firmware or the hypervisor decides"), "{}", turbo.why);
    }
}
