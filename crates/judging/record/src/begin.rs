//! Converts the basis of a judging's verdicts to and from the first line of its record.

use crate::rule::{RuleError, recorded_rule, rule_of};
use documents::{MachineIdentity, NotJudged, RecordBegin, TimeLimit, Unavailable};
use model::{CpuSet, Reading};
use package::{Package, Step};
use ruling::TimeRule;
use std::collections::{BTreeMap, BTreeSet};
use std::time::SystemTime;

/// Kernel build options that determine how exactly a program's time is counted.
pub const KERNEL_OPTIONS: [&str; 7] = [
    "CONFIG_HZ",
    "CONFIG_IRQ_TIME_ACCOUNTING",
    "CONFIG_NO_HZ_FULL",
    "CONFIG_NO_HZ_IDLE",
    "CONFIG_PARAVIRT_TIME_ACCOUNTING",
    "CONFIG_TICK_CPU_ACCOUNTING",
    "CONFIG_VIRT_CPU_ACCOUNTING_GEN",
];

/// The basis of a judging's verdicts.
#[derive(Clone, Copy, Debug)]
pub struct Basis {
    pub rule: TimeRule,
    /// How many cases each submission has to pass.
    pub case_count: usize,
    /// Whether these are only some cases of the package, chosen by the caller.
    pub is_selection: bool,
}

/// The part of a machine on which judgings run.
#[derive(Clone, Debug)]
pub struct JudgingMachine {
    pub identity: MachineIdentity,
    /// Those of [`KERNEL_OPTIONS`] that its kernel was built with.
    pub kernel_options: Reading<BTreeMap<String, String>>,
    pub timed_cpus: CpuSet,
    /// CPUs of everything else.
    pub helper_cpus: CpuSet,
    /// The digest of the image whose toolchains are used, if it is one.
    pub image: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Circumstances {
    /// The command's arguments; may be empty.
    pub arguments: Vec<String>,
    pub package: documents::Package,
    pub machine: JudgingMachine,
    pub time_limit: TimeLimit,
    /// Submissions that are skipped from the start.
    pub not_judged: Vec<NotJudged>,
}

/// The facts about a package that affect its judging, repeated in a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageFacts {
    /// Whether submissions have scores, or a grader makes the total.
    pub is_graded: bool,
    /// Whether cases are conversations or have several passes.
    pub has_checks_between_runs: bool,
    pub cases: BTreeSet<String>,
    /// The names of checks of sources, which stand among the cases.
    pub checks: BTreeSet<String>,
}

impl PackageFacts {
    pub fn of(package: &Package) -> Self {
        let (mut cases, mut checks) = (BTreeSet::new(), BTreeSet::new());
        for step in package.steps() {
            match step {
                Step::Case(case) => cases.insert(case.name.clone()),
                Step::Static(check) => checks.insert(check.name.clone()),
            };
        }
        Self {
            is_graded: package.kind.scoring || package.grader.is_some(),
            has_checks_between_runs: package.kind.interactive || package.kind.multi_pass.is_some(),
            cases,
            checks,
        }
    }
}

impl Basis {
    /// Reads it from the line with which a judging begins.
    pub fn of(begin: &RecordBegin) -> Result<Self, RuleError> {
        Ok(Self {
            rule: rule_of(&begin.rule, begin.case_count)?,
            case_count: usize::try_from(begin.case_count).unwrap_or(usize::MAX),
            is_selection: begin.is_selection,
        })
    }

    /// Makes the line with which a judging of this package begins now.
    pub fn begin(&self, package: &Package, around: Circumstances) -> RecordBegin {
        let JudgingMachine { identity, kernel_options, timed_cpus, helper_cpus, image } = around.machine;
        let mut unavailable = Unavailable::new();
        let kernel_options = match kernel_options {
            Reading::Known(options) => options,
            Reading::Unavailable(why) => {
                unavailable.insert("kernel_options".to_owned(), why);
                BTreeMap::new()
            }
        };
        let PackageFacts { is_graded, has_checks_between_runs, .. } = PackageFacts::of(package);
        RecordBegin {
            tauto_version: env!("CARGO_PKG_VERSION").to_owned(),
            began_at: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
            arguments: around.arguments,
            package: around.package,
            is_graded,
            has_checks_between_runs,
            case_count: self.case_count as u64,
            is_selection: self.is_selection,
            machine: identity,
            kernel_options,
            timed_cpus: timed_cpus.to_string(),
            helper_cpus: helper_cpus.to_string(),
            image,
            time_limit: around.time_limit,
            memory_limit_bytes: package.limits.memory.0,
            rule: recorded_rule(&self.rule, self.case_count),
            not_judged: around.not_judged,
            unavailable,
        }
    }
}
