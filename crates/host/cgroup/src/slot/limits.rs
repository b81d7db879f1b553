//! The limits of a slot's groups.

use crate::clock::ClockPlan;
use crate::hardware::Counting;
use model::{Bytes, CpuSet};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupLimits {
    /// Memory of the run, page cache not counted.
    pub memory: Option<Bytes>,
    pub processes: Option<u32>,
    /// CPUs to run on; enforced here where version 2 has the cpuset controller.
    pub cpus: Option<CpuSet>,
    pub counting: Counting,
    /// The counter that is the run's clock, if one is.
    pub clock: Option<ClockPlan>,
}
