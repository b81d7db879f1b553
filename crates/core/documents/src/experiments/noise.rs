//! Documents of `tauto noise`.

mod check;
mod compare;
mod exchange;
mod predict;
mod probe;
mod report;
mod sources;

pub use check::{NoiseCheckCpu, NoiseCheckReport};
pub use compare::{NoiseCompareReport, NoiseCompareRow, NoiseCompareSide};
pub use exchange::{
    ExchangeAdded, ExchangeArm, ExchangeInjection, ExchangeSize, ExchangeSpread, ExchangeWarmUp,
    NoiseExchangeReport,
};
pub use predict::{
    NoiseClosedForm, NoiseModel, NoiseModelSource, NoisePoint, NoisePredictReport, NoiseSimulated,
};
pub use probe::{
    NoiseCalls, NoiseCpu, NoiseDetours, NoiseKernelCounts, NoiseLengths, NoiseProbeReport, NoiseWarmUp,
};
pub use report::{NoiseAdvice, NoiseCost, NoiseCostAt, NoiseGain, NoiseReport};
pub use sources::{
    NoiseInQuanta, NoiseOrigin, NoiseQuanta, NoiseRiding, NoiseSource, NoiseSourcesCpu, NoiseSourcesReport,
};
