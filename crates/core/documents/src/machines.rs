//! Documents of machines: what they are, how they are set, and who has which CPUs.

mod allocation;
pub(crate) mod audit;
mod doctor;
pub(crate) mod identity;
mod settings;
mod topology;

pub use allocation::{
    AllocationReport, BlockerReport, Granted, HistoryEntry, HolderEntry, LeaseEntry, LeaseReport, LeasesFile,
    MovePlan, MoveStep, Refused, SharedEntry,
};
pub use audit::{Audit, AuditFinding, AuditReport, AuditThread, CpuShares, CpuTime};
pub use doctor::{DoctorCheck, DoctorReport, Fact};
pub use identity::MachineIdentity;
pub use settings::{
    BootAdvice, MachineCheckReport, MachineRestoreReport, MachineTuneReport, RestoredFile, SettingEntry,
    SettingFile, TuneStep,
};
pub use topology::{
    TopologyCache, TopologyCore, TopologyCoreKind, TopologyCpu, TopologyDomain, TopologyNumaNode,
    TopologyReport,
};
