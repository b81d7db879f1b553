//! Documents of `tauto noise`.

mod check;
mod compare;
mod probe;

pub use check::{NoiseCheckCpu, NoiseCheckReport};
pub use compare::{NoiseCompareReport, NoiseCompareRow, NoiseCompareSide};
pub use probe::{
    NoiseCalls, NoiseCpu, NoiseDetours, NoiseKernelCounts, NoiseLengths, NoiseProbeReport, NoiseWarmUp,
};
mod report;
mod sources;

pub use report::{NoiseAdvice, NoiseReport};
pub use sources::{NoiseOrigin, NoiseRiding, NoiseSource, NoiseSourcesCpu, NoiseSourcesReport};
