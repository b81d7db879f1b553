//! The compared ways of providing CPUs.

use cgroup::CpuShare;
use model::{CpuId, CpuSet, Nanos};

/// The period that Kubernetes and the source article use.
pub const USUAL_PERIOD: Nanos = Nanos::from_millis(100);
/// Other periods for the compared amount. The kernel accepts 1 ms to 1 s.
const OTHER_PERIODS_MS: [u64; 3] = [10, 50, 250];
/// Steps between the quotas that are tried, in hundredths of a CPU: finer steps take longer without showing more.
const STEP_CENTI_CPUS: u32 = 25;
/// On a machine with many CPUs the sizes that are tried are close to the compared amount; at most this many.
const SIZES_MAX: u32 = 12;

/// One way to provide CPUs to the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arm {
    /// Its name for display, such as `quota 1.00, period 100 ms`.
    pub name: String,
    /// The amount in hundredths of a CPU.
    pub centi_cpus: u32,
    /// The group's share.
    pub share: CpuShare,
    /// Whether it is part of the comparison; otherwise it only serves to find the right size.
    pub is_compared: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// CPUs of both modes in the comparison.
    pub cpus: u32,
    /// The arms: quotas by period, whole CPUs, then the other sizes.
    pub arms: Vec<Arm>,
}

/// Why there is no plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// One CPU cannot be used for both modes at once.
    #[error("a quota is compared with fewer CPUs than there are, and there is only CPU {0}")]
    OneCpu(CpuSet),
    /// More CPUs were requested than can be compared.
    #[error(
        "{wanted} CPUs are asked for; a quota is compared with at least 1 and fewer than the {allowed} there are"
    )]
    Wanted {
        /// How many were requested.
        wanted: u32,
        allowed: usize,
    },
}

/// Plans the arms. `order` lists the available CPUs so that those next to each other in the list are near each other
/// and siblings of a core are adjacent; whole CPUs are taken from its end.
pub fn plan(order: &[CpuId], cpus: Option<u32>, with_sizes: bool) -> Result<Plan, PlanError> {
    let all = order.len();
    if all < 2 {
        return Err(PlanError::OneCpu(order.iter().copied().collect()));
    }
    let compared = cpus.unwrap_or((all / 2) as u32);
    if compared == 0 || compared as usize >= all {
        return Err(PlanError::Wanted { wanted: compared, allowed: all });
    }
    let centi = compared * 100;
    let mut periods: Vec<_> = OTHER_PERIODS_MS.iter().map(|ms| Nanos::from_millis(*ms)).collect();
    periods.push(USUAL_PERIOD);
    periods.sort_unstable();
    let mut arms: Vec<_> = periods.into_iter().map(|period| quota(centi, period, true)).collect();
    arms.push(whole(order, compared, true));
    if with_sizes {
        let lowest = (centi / 2).max(centi.saturating_sub(SIZES_MAX / 2 * STEP_CENTI_CPUS));
        let sizes = (0..SIZES_MAX).map(|step| lowest + step * STEP_CENTI_CPUS);
        let sizes = sizes.filter(|size| *size != centi && *size <= all as u32 * 100);
        arms.extend(sizes.map(|size| quota(size, USUAL_PERIOD, false)));
        let near = [compared - 1, compared + 1];
        let near = near.into_iter().filter(|cpus| *cpus > 0 && *cpus as usize <= all);
        arms.extend(near.map(|cpus| whole(order, cpus, false)));
    }
    Ok(Plan { cpus: compared, arms })
}

fn quota(centi_cpus: u32, period: Nanos, is_compared: bool) -> Arm {
    let quota = Nanos(period.0 / 100 * u64::from(centi_cpus));
    Arm {
        name: format!("quota {}, period {} ms", decimal(centi_cpus), period.0 / 1_000_000),
        centi_cpus,
        share: CpuShare::Quota { quota, period },
        is_compared,
    }
}

fn whole(order: &[CpuId], cpus: u32, is_compared: bool) -> Arm {
    let set: CpuSet = order[order.len() - cpus as usize..].iter().copied().collect();
    Arm {
        name: format!("whole {}", set.named()),
        centi_cpus: cpus * 100,
        share: CpuShare::Cpus(set),
        is_compared,
    }
}

fn decimal(centi: u32) -> String {
    format!("{}.{:02}", centi / 100, centi % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(count: u32, cpus: Option<u32>, with_sizes: bool) -> Vec<String> {
        let order: Vec<_> = (0..count).map(CpuId).collect();
        plan(&order, cpus, with_sizes).unwrap().arms.into_iter().map(|arm| arm.name).collect()
    }

    #[test]
    fn two_cpus_compare_half_of_them() {
        assert_eq!(
            names(2, None, true),
            [
                "quota 1.00, period 10 ms",
                "quota 1.00, period 50 ms",
                "quota 1.00, period 100 ms",
                "quota 1.00, period 250 ms",
                "whole CPU 1",
                "quota 0.50, period 100 ms",
                "quota 0.75, period 100 ms",
                "quota 1.25, period 100 ms",
                "quota 1.50, period 100 ms",
                "quota 1.75, period 100 ms",
                "quota 2.00, period 100 ms",
                "whole CPUs 0-1",
            ]
        );
    }

    #[test]
    fn many_cpus_have_a_few_sizes_around() {
        let names = names(64, Some(4), true);
        assert!(names.contains(&"whole CPUs 60-63".to_owned()), "{names:?}");
        assert!(
            names.contains(&"whole CPUs 61-63".to_owned()) && names.contains(&"whole CPUs 59-63".to_owned())
        );
        assert!(names.len() <= 5 + SIZES_MAX as usize + 2, "{names:?}");
        let order: Vec<_> = (0..64).map(CpuId).collect();
        let all = plan(&order, Some(4), true).unwrap().arms;
        let CpuShare::Quota { quota, period } = all[0].share else { panic!("{all:?}") };
        assert_eq!((quota, period), (Nanos::from_millis(40), Nanos::from_millis(10)));
    }

    #[test]
    fn too_few_or_too_many_are_refused() {
        assert!(matches!(plan(&[CpuId(3)], None, true), Err(PlanError::OneCpu(_))));
        let two = [CpuId(0), CpuId(1)];
        for wanted in [0, 2, 9] {
            assert_eq!(plan(&two, Some(wanted), true), Err(PlanError::Wanted { wanted, allowed: 2 }));
        }
    }
}
