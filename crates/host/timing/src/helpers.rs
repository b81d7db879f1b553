//! CPUs for everything that is not timed: this process, compilers, checkers, interactors.

use crate::HostCpus;
use model::CpuSet;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub struct Helpers {
    host: Arc<dyn HostCpus>,
    timed: CpuSet,
    /// CPUs that the same place has leased for other purposes, such as loads; helpers may use them.
    ours: CpuSet,
    cpus: CpuSet,
    warning: Option<String>,
}

impl Helpers {
    pub(crate) fn outside(host: Arc<dyn HostCpus>, timed: CpuSet, ours: CpuSet) -> Self {
        let mut helpers = Self { host, timed, ours, cpus: CpuSet::new(), warning: None };
        (helpers.cpus, helpers.warning) = helpers.current();
        helpers
    }

    /// Returns the CPUs at the beginning.
    pub fn cpus(&self) -> &CpuSet {
        &self.cpus
    }

    /// Returns the present CPUs, without any that another process has leased since.
    pub fn now(&self) -> CpuSet {
        self.current().0
    }

    /// Returns the warning about them, as of the beginning.
    pub fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    fn current(&self) -> (CpuSet, Option<String>) {
        let allowed = &self.host.topology().allowed;
        let choose = |leased| choose(allowed, &self.timed, leased, |cpus| self.host.is_open(cpus));
        match self.host.holders() {
            Ok(holders) => {
                let leased: CpuSet = holders.iter().flat_map(|holder| holder.cpus.iter()).collect();
                choose(&leased.difference(&self.ours))
            }
            Err(error) => {
                let (cpus, warning) = choose(&CpuSet::new());
                let unknown = format!(
                    "it is unknown whether other processes time on {}, where tauto itself and everything untimed run: {error}",
                    cpus.named()
                );
                (cpus, warning.or(Some(unknown)))
            }
        }
    }
}

/// Chooses CPUs for helpers: all that are not leased for timed runs. If there are none, helpers run on the CPUs of the
/// place itself rather than on those of another, whose times they would disturb, unless the kernel has closed the
/// place's CPUs to everything but its runs.
fn choose(
    allowed: &CpuSet,
    timed: &CpuSet,
    leased: &CpuSet,
    is_open: impl FnOnce(&CpuSet) -> bool,
) -> (CpuSet, Option<String>) {
    let rest = allowed.difference(timed);
    let free = rest.difference(leased);
    if !free.is_empty() {
        return (free, None);
    }
    let timed = timed.intersection(allowed);
    let others = format!("other tauto processes time on {}", rest.named());
    let (cpus, why, then) = if rest.is_empty() {
        let why = format!("there is no CPU besides the timed {}", timed.named());
        (timed, why, "share them with runs")
    } else if is_open(&timed) {
        (timed, others, "share the CPUs of runs")
    } else {
        (rest, others, "share them, for the CPUs of runs are closed to everything else")
    };
    (cpus, Some(format!("{why}, so tauto itself and everything untimed {then}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed::FixedCpus;

    #[test]
    fn helpers_avoid_timed_cpus() {
        let alone = "there is no CPU besides";
        let others = "other tauto processes time on";
        for (allowed, timed, leased, expect, warning) in [
            ("0-3", "3", "3", "0-2", ""),
            // Leases of other places, in this process or another.
            ("0-3", "3", "2-3", "0-1", ""),
            ("0-3", "3", "1-3", "0", ""),
            ("0-3", "2-3", "0,2-3", "1", ""),
            // A sibling that stays idle.
            ("0-3", "1,3", "1,3", "0,2", ""),
            // CPUs that are not allowed do not matter.
            ("2-3", "3", "0-1,3", "2", ""),
            // All are leased.
            ("0-1", "0", "0-1", "0", others),
            ("0-1", "1", "0-1", "1", others),
            ("0-3", "2", "0-3", "2", others),
            // Shared: the place has no lease.
            ("0-3", "3", "", "0-2", ""),
            ("0-1", "1", "0-1", "1", others),
            ("0-1", "1", "0", "1", others),
            // One CPU, or all of them.
            ("0", "0", "0", "0", alone),
            ("0", "0", "", "0", alone),
            ("0-3", "0-3", "0-3", "0-3", alone),
        ] {
            let set = |list: &str| list.parse::<CpuSet>().unwrap();
            let (cpus, text) = choose(&set(allowed), &set(timed), &set(leased), |_| true);
            let case = format!("{timed} of {allowed} with {leased} leased");
            assert_eq!(cpus.to_string(), expect, "{case}");
            assert_eq!(text.is_some(), !warning.is_empty(), "{case}: {text:?}");
            assert!(text.unwrap_or_default().contains(warning), "{case}");
            // Either there are no timed runs, or they belong to this place.
            assert!(cpus.intersection(&set(leased)).is_subset(&set(timed)), "{case}");
        }
    }

    #[test]
    fn closed_cpus_are_for_runs_only() {
        let set = |list: &str| list.parse::<CpuSet>().unwrap();
        for (leased, is_open, expect, warning) in [
            ("2-3", false, "0-1", ""),
            ("0-3", true, "3", "share the CPUs of runs"),
            ("0-3", false, "0-2", "are closed to everything else"),
        ] {
            let asked = |cpus: &CpuSet| cpus.to_string() == "3" && is_open;
            let (cpus, text) = choose(&set("0-3"), &set("3"), &set(leased), asked);
            assert_eq!(cpus.to_string(), expect);
            assert!(text.unwrap_or_default().ends_with(warning));
        }
    }

    #[test]
    fn later_leases_are_avoided_too() {
        let host = Arc::new(FixedCpus::new(3, "2", "2"));
        let helpers = Helpers::outside(host.clone(), host.assigned.clone(), "1".parse().unwrap());
        let now = |held: Option<&str>| {
            *host.held.lock().unwrap() = held.map(|held| held.parse().unwrap());
            helpers.now().to_string()
        };
        assert_eq!((helpers.cpus().to_string().as_str(), helpers.warning()), ("0-1", None));
        assert_eq!(now(Some("0,2")), "1");
        assert_eq!(now(Some("0-2")), "1", "what is leased for loads is ours");
        assert_eq!(now(Some("2")), "0-1", "and back when he has gone");
        assert_eq!(now(None), "0-1", "without an answer, all but the timed");
    }

    #[test]
    fn unknown_leases_give_a_warning() {
        let host = FixedCpus::new(2, "1", "");
        *host.held.lock().unwrap() = None;
        let helpers = Helpers::outside(Arc::new(host), "1".parse().unwrap(), CpuSet::new());
        assert_eq!(helpers.cpus().to_string(), "0");
        let warning = helpers.warning().unwrap();
        assert!(
            warning.contains("unknown whether other processes time on CPU 0") && warning.contains("/leases"),
            "{warning}"
        );
    }
}
