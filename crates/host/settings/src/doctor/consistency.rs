//! Does the same code take the same time? The answers of settings, as judged in [`crate::settings`].

use super::{Area, Check};
use crate::Setting;
use model::Reading;
use system::Status;

/// The settings that are shown here, each with its area and its check's name.
const SHOWN: [(Area, &str, &str); 10] = [
    (Area::Consistency, "smt", "SMT siblings"),
    (Area::Consistency, "governor", "frequency governor"),
    (Area::Consistency, "turbo", "turbo"),
    (Area::Consistency, "steal", "steal since boot"),
    (Area::Consistency, "swap", "swap"),
    (Area::Consistency, "huge-pages", "huge pages"),
    (Area::Consistency, "address-randomisation", "address randomisation"),
    (Area::Consistency, "autogroup", "autogroup"),
    (Area::Consistency, "clock-source", "clock source"),
    (Area::Host, "crash-helper", "core dumps"),
];

pub(super) fn topology(doubts: &Reading<Vec<String>>) -> Check {
    let why = "timed runs are placed by which CPUs share a core, a cache or memory; contradictory information is ignored";
    Check::of(Area::Consistency, "topology", why, doubts, |doubts| match doubts.is_empty() {
        true => (Status::Pass, "described without contradiction".to_owned()),
        false => (Status::Caution, doubts.join("; ")),
    })
}

pub(super) fn of_settings(settings: &[Setting], area: Area) -> impl Iterator<Item = Check> {
    let own = SHOWN.iter().filter(move |(of, ..)| *of == area);
    own.filter_map(move |(_, id, name)| {
        let setting = settings.iter().find(|setting| setting.id == *id)?;
        let found = [Some(&setting.found), setting.here.as_ref()];
        let found = found.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join("; ");
        let (status, what, why) = match setting.status {
            Status::Unavailable => (Status::Unavailable, "not known".to_owned(), setting.found.as_str()),
            // Everything works, but times may vary.
            Status::Fail => (Status::Caution, found, setting.effect),
            status => (status, found, setting.effect),
        };
        Some(Check { fix: setting.fix.clone(), ..Check::new(area, name, status, what, why) })
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, examine_tree, good_tree};
    use super::*;

    #[test]
    fn contradicting_topology_is_a_caution() {
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
    fn every_setting_that_is_shown_is_in_the_catalogue() {
        let checks = examine_tree(&good_tree());
        for (_, id, name) in SHOWN {
            assert!(crate::ids().contains(&id), "{id}");
            assert!(checks.iter().any(|check| check.name == name), "{name}");
        }
    }

    #[test]
    fn settings_that_spread_times_are_cautions_with_a_command() {
        let thp = "sys/kernel/mm/transparent_hugepage/enabled";
        check(
            &[(thp, "[always] madvise never\n")],
            "huge pages",
            Status::Caution,
            Some("echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"),
        );
        let swap = "Filename Type Size Used Priority\n/dev/sda2 partition 1000 0 -2\n";
        check(&[("proc/swaps", swap)], "swap", Status::Caution, Some("swapoff -a"));
        let pipe = "|/usr/lib/systemd/systemd-coredump %P\n";
        check(
            &[("proc/sys/kernel/core_pattern", pipe)],
            "core dumps",
            Status::Caution,
            Some("sysctl -w kernel.core_pattern=core"),
        );
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
