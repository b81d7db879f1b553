//! Versioned wire types: the JSON that the command line prints.
//!
//! Every document names its schema first, such as `tautochrone/run/1`. Within one
//! version fields are only ever added; `docs/json.md` describes each. A value that
//! could not be read is `null`, and the map `unavailable` beside it says why.
//!
//! Architecture Invariant: this is the only crate that serialises for others, and its
//! types are not the domain's: a renamed field in `model` does not change a document.

#![forbid(unsafe_code)]

mod allocation;
mod audit;
mod bench;
mod doctor;
mod document;
mod error;
mod judge;
mod lab;
mod languages;
mod machine;
mod noise;
mod read_back;
mod record;
mod run;
mod settings;
mod time_limit;
mod topology;
mod values;
mod verification;

pub use allocation::{
    AllocationReport, BlockerReport, Granted, HistoryEntry, HolderEntry, LeaseEntry, LeaseReport, LeasesFile,
    MovePlan, MoveStep, Refused, SharedEntry,
};
pub use audit::{Audit, AuditFinding, AuditReport, AuditThread, CpuShares, CpuTime};
pub use bench::{
    BenchComparison, BenchComparisonReport, BenchDetails, BenchLoad, BenchOutlier, BenchReport, BenchResult,
    BenchRun, BenchSeries, ComparedFile, ComparedResult, LowestTime, Ratio, TimeSummary,
};
pub use doctor::{DoctorCheck, DoctorReport, Fact};
pub use document::{Document, ReadError, from_json, to_json, to_json_line};
pub use error::ErrorReport;
pub use judge::{
    CaseRun, Compile, Difference, GroupResult, JudgeReport, NotJudged, Package, Repeat, Slowest, Submission,
    Summary, TimeLimit,
};
pub use lab::{
    LabAffinityArm, LabAffinityReport, LabAffinityRun, LabBeside, LabJudgement, LabNoiseCalls, LabNoiseCurve,
    LabNoiseFigure, LabNoiseInjected, LabNoisePoint, LabNoiseReport, LabNoiseSource, LabPlace,
    LabPlacementReport, LabPlacementResult, LabPlacementRun, LabPlacementWork, LabRun, LabSetting,
    LabSharingCost, LabSharingProgram, LabSharingReport, LabSieveProgram, LabSieveReport, LabSieveResult,
    LabSieveStep, LabSieveTime, LabSizing, LabSpread, LabStabilityReport, LabStabilitySide, LabThread,
    LabThreadCounts, LabThrottlingArm, LabThrottlingReport, LabThrottlingRun, LabTick, LabWorkload,
};
pub use languages::{LanguageEntry, LanguagesReport};
pub use machine::MachineIdentity;
pub use noise::{
    ExchangeAdded, ExchangeArm, ExchangeInjection, ExchangeSize, ExchangeSpread, ExchangeWarmUp, NoiseAdvice,
    NoiseCalls, NoiseCheckCpu, NoiseCheckReport, NoiseClosedForm, NoiseCompareReport, NoiseCompareRow,
    NoiseCompareSide, NoiseCost, NoiseCostAt, NoiseCpu, NoiseDetours, NoiseExchangeReport, NoiseGain,
    NoiseInQuanta, NoiseKernelCounts, NoiseLengths, NoiseModel, NoiseModelSource, NoiseOrigin, NoisePoint,
    NoisePredictReport, NoiseProbeReport, NoiseQuanta, NoiseReport, NoiseRiding, NoiseSimulated, NoiseSource,
    NoiseSourcesCpu, NoiseSourcesReport, NoiseWarmUp,
};
pub use read_back::NotARun;
pub use record::{
    RecordBegin, RecordCase, RecordEnd, RecordEntry, RecordLine, RecordRule, RecordRuling, RecordSubmission,
    RulingDecision,
};
pub use run::{End, EndKind, Evidence, Guard, Limits, RunReport, RunStatus, Usage};
pub use settings::{
    BootAdvice, MachineCheckReport, MachineRestoreReport, MachineTuneReport, RestoredFile, SettingEntry,
    SettingFile, TuneStep,
};
pub use time_limit::{Derivation, StoredLimit};
pub use topology::{
    TopologyCache, TopologyCore, TopologyCoreKind, TopologyCpu, TopologyDomain, TopologyNumaNode,
    TopologyReport,
};
pub use values::{LimitName, Unavailable, VerdictId};
pub use verification::{PackageCheck, RecordExplanation, RecordFinding, RecordVerification};
