//! The words of the domain: units, CPU sets, limits, verdicts, run results.
//!
//! Pure: no clock, file, environment or randomness, and no logic beyond what a
//! word means (parsing it, printing it, comparing it).
//!
//! # Files
//!
//! The vocabulary: `units.rs` (`Nanos`, `Bytes`), `cpu.rs` (`CpuSet`), `limits.rs`, `run.rs` (`RunResult`, `Usage`,
//! `Evidence`, and `Reading`: a value or the reason why there is none), `clock.rs`, `verdict.rs`. `baseline.rs` compares evidence
//! with a stored profile; no verdict depends on it. `message.rs` is a sentence for people, which pages can translate.

#![forbid(unsafe_code)]

mod audit;
mod baseline;
mod clics_time;
pub mod clock;
mod cpu;
mod enumeration;
mod hardware;
mod instructions;
mod limits;
mod message;
mod request;
mod run;
mod score_rules;
mod topology;
mod units;
mod verdict;
mod words;

pub use audit::{Advice, Audit, AuditMethod, CpuShares, Finding, RunnerKind, ThreadUse};
pub use baseline::{Baseline, Unusual, UnusualKind};
pub use clics_time::{DurationError, TimeError, duration_text, parse_duration, parse_time, time_text};
pub use clock::Clock;
pub use cpu::{CpuId, CpuSet, ParseCpuSetError};
pub use hardware::HardwareCounts;
pub use instructions::Instructions;
pub use limits::{LimitKind, Limits};
pub use message::{Counted, Joined, Message, Names, Number, OrNone, Parameter, Speak, Spoken};
pub use request::{
    ARGUMENTS_BYTES_MAX, CASE_FILE_NAMES_BYTES_MAX, CASE_FILES_MAX, PROGRAM_LINKS_BYTES_MAX,
    REQUEST_BYTES_MAX, REQUEST_DESCRIPTORS_MAX, SOURCE_NAMES_BYTES_MAX,
};
pub use run::{
    Evidence, Guard, Isolation, IsolationKind, MachineUse, Neighbours, OffCpuCause, Reading, RunEnd,
    RunResult, Slowdown, Usage,
};
pub use score_rules::{ScoreRules, ScoreRulesParseError};
pub use topology::{CacheDomain, Core, CoreKind, Domain, NumaNode, Topology};
pub use units::{Bytes, Hertz, InstructionCount, Nanos, ParseUnitError};
pub use verdict::{CaseKind, Caveat, Verdict, VerdictParseError, supports_acceptance};
pub use words::{counted, without_error_numbers};
