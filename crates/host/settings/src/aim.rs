//! Which CPUs are for timed runs, and which do everything else.

use super::Snapshot;
use model::{CpuSet, Reading};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aim {
    pub housekeeping: CpuSet,
    /// CPUs of timed runs: all other online ones.
    pub timed: CpuSet,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AimError {
    #[error("housekeeping is to be on {}, but online are {online}", asked.named())]
    NotOnline { asked: CpuSet, online: CpuSet },
    #[error("with {asked} for housekeeping no CPU is left for timed runs; online are {online}")]
    NoneLeft { asked: CpuSet, online: CpuSet },
    #[error("which CPUs are online is not known: {0}")]
    Unknown(String),
}

impl Aim {
    /// Divides the CPUs: as requested; otherwise as the kernel was booted; otherwise the first core is for
    /// housekeeping.
    pub fn choose(snapshot: &Snapshot, asked: Option<&CpuSet>) -> Result<Reading<Self>, AimError> {
        let online = match list(snapshot, "/sys/devices/system/cpu/online") {
            Reading::Known(online) => online,
            Reading::Unavailable(why) if asked.is_some() => return Err(AimError::Unknown(why)),
            Reading::Unavailable(why) => return Ok(Reading::Unavailable(why)),
        };
        if let Some(asked) = asked {
            let asked = asked.clone();
            if !asked.is_subset(&online) {
                return Err(AimError::NotOnline { asked, online });
            }
            let timed = online.difference(&asked);
            if timed.is_empty() {
                return Err(AimError::NoneLeft { asked, online });
            }
            return Ok(Reading::Known(Self { housekeeping: asked, timed }));
        }
        let isolated =
            list(snapshot, "/sys/devices/system/cpu/isolated").known().cloned().unwrap_or_default();
        let housekeeping = online.difference(&isolated);
        if housekeeping.len() < online.len() && !housekeeping.is_empty() {
            return Ok(Reading::Known(Self { timed: online.difference(&housekeeping), housekeeping }));
        }
        let housekeeping = first_core(snapshot, &online);
        let timed = online.difference(&housekeeping);
        Ok(if timed.is_empty() {
            Reading::unavailable(format!(
                "{} is one core, so no CPU can be kept free of other work",
                online.named()
            ))
        } else {
            Reading::Known(Self { housekeeping, timed })
        })
    }
}

/// Returns the first core: its lowest CPU serves most interrupts anyway, and its siblings would disturb each other.
fn first_core(snapshot: &Snapshot, online: &CpuSet) -> CpuSet {
    let Some(first) = online.first() else { return CpuSet::new() };
    let file = |name| list(snapshot, &format!("/sys/devices/system/cpu/cpu{first}/topology/{name}"));
    let siblings = match file("core_cpus_list") {
        Reading::Known(siblings) => Reading::Known(siblings),
        Reading::Unavailable(_) => file("thread_siblings_list"),
    };
    let core = siblings.known().map(|siblings| siblings.intersection(online)).unwrap_or_default();
    if core.is_empty() { [first].into_iter().collect() } else { core }
}

fn list(snapshot: &Snapshot, path: &str) -> Reading<CpuSet> {
    match snapshot.file(path) {
        Reading::Known(text) => match text.parse() {
            Ok(cpus) => Reading::Known(cpus),
            Err(error) => Reading::unavailable(format!("{path}: {error}")),
        },
        Reading::Unavailable(why) => Reading::Unavailable(why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(values: &[(&str, &str)], asked: Option<&str>, expected: &str) {
        let asked = asked.map(|list| list.parse().unwrap());
        let chosen = match Aim::choose(&Snapshot::of(values), asked.as_ref()) {
            Ok(Reading::Known(aim)) => format!("{} | {}", aim.housekeeping, aim.timed),
            Ok(Reading::Unavailable(why)) => why,
            Err(error) => error.to_string(),
        };
        assert_eq!(chosen, expected, "{values:?} {asked:?}");
    }

    #[test]
    fn cpus_are_divided_as_requested_booted_or_by_the_first_core() {
        let online = ("/sys/devices/system/cpu/online", "0-3");
        let isolated = ("/sys/devices/system/cpu/isolated", "2-3");
        let siblings = ("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0,2");
        check(&[online], None, "0 | 1-3");
        check(&[online, siblings], None, "0,2 | 1,3");
        check(&[online, isolated], None, "0-1 | 2-3");
        check(&[online, ("/sys/devices/system/cpu/isolated", "")], None, "0 | 1-3");
        check(&[online, isolated], Some("1"), "1 | 0,2-3");
        check(
            &[online],
            Some("0-3"),
            "with 0-3 for housekeeping no CPU is left for timed runs; online are 0-3",
        );
        check(&[online], Some("4"), "housekeeping is to be on CPU 4, but online are 0-3");
        check(
            &[("/sys/devices/system/cpu/online", "0")],
            None,
            "CPU 0 is one core, so no CPU can be kept free of other work",
        );
        check(&[], None, "there is no /sys/devices/system/cpu/online");
    }
}
