//! Finds the smallest size that is good enough.

use super::Arm;
use super::arm::USUAL_PERIOD;
use cgroup::CpuShare;
use documents::LabSizing;
use model::Nanos;

/// Finds the smallest sizes from which on every larger one that was tried meets the target, too: a small size that met
/// it by chance does not count.
pub fn right_size<'a>(arms: impl IntoIterator<Item = (&'a Arm, Nanos)>, target: Nanos) -> LabSizing {
    let (mut quotas, mut wholes) = (Vec::new(), Vec::new());
    for (arm, p99) in arms {
        match arm.share {
            CpuShare::Quota { period, .. } if period == USUAL_PERIOD => quotas.push((arm.centi_cpus, p99)),
            CpuShare::Quota { .. } | CpuShare::All => {}
            CpuShare::Cpus(_) => wholes.push((arm.centi_cpus, p99)),
        }
    }
    let (quota, whole) = (smallest(quotas, target), smallest(wholes, target));
    let saving =
        quota.zip(whole).map(|(quota, whole)| (f64::from(quota) - f64::from(whole)) / f64::from(quota));
    let cpus = |centi: u32| f64::from(centi) / 100.0;
    LabSizing { target_ns: target.0, quota_cpus: quota.map(cpus), whole_cpus: whole.map(cpus), saving }
}

fn smallest(mut sizes: Vec<(u32, Nanos)>, target: Nanos) -> Option<u32> {
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    sizes.iter().take_while(|(_, p99)| *p99 <= target).last().map(|(size, _)| *size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::throttling::plan;
    use model::CpuId;

    fn size(quota_100: u64, quota_150: u64, whole_100: u64) -> (Option<f64>, Option<f64>, Option<f64>) {
        let arms = plan(&[CpuId(0), CpuId(1)], None, true).unwrap().arms;
        let measured = arms.iter().map(|arm| {
            let p99 = match (&arm.share, arm.centi_cpus) {
                (CpuShare::Cpus(_), 100) => whole_100,
                (CpuShare::Cpus(_), _) => 5,
                // Shorter periods do not count here.
                (CpuShare::Quota { period, .. }, _) if *period != USUAL_PERIOD => 1,
                (_, 0..=75) => 500,
                (_, 100) => quota_100,
                (_, 150) => quota_150,
                _ => 9,
            };
            (arm, Nanos::from_millis(p99))
        });
        let sizing = right_size(measured, Nanos::from_millis(10));
        (sizing.quota_cpus, sizing.whole_cpus, sizing.saving)
    }

    #[test]
    fn the_smallest_size_above_which_all_are_good_counts() {
        assert_eq!(size(60, 9, 8), (Some(1.25), Some(1.0), Some(0.2)));
        assert_eq!(size(9, 9, 8), (Some(1.0), Some(1.0), Some(0.0)));
        assert_eq!(size(9, 60, 8), (Some(1.75), Some(1.0), Some(75.0 / 175.0)));
        assert_eq!(size(9, 9, 60), (Some(1.0), Some(2.0), Some(-1.0)));
    }

    #[test]
    fn where_no_size_is_good_there_is_no_saving() {
        let arms = plan(&[CpuId(0), CpuId(1)], None, true).unwrap().arms;
        let sizing = right_size(arms.iter().map(|arm| (arm, Nanos(9))), Nanos(8));
        assert_eq!((sizing.quota_cpus, sizing.whole_cpus, sizing.saving), (None, None, None));
    }
}
