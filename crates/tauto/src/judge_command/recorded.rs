//! The line with which the record of a judging begins.

use super::Session;
use super::document;
use crate::output::wire::machine_identity;
use api::RecordBegin;
use judge::Station;
use model::Reading;
use std::collections::BTreeMap;
use std::time::SystemTime;

/// Options of the kernel's build that say how exactly it counts a program's time.
const KERNEL_OPTIONS: [&str; 7] = [
    "CONFIG_HZ",
    "CONFIG_IRQ_TIME_ACCOUNTING",
    "CONFIG_NO_HZ_FULL",
    "CONFIG_NO_HZ_IDLE",
    "CONFIG_PARAVIRT_TIME_ACCOUNTING",
    "CONFIG_TICK_CPU_ACCOUNTING",
    "CONFIG_VIRT_CPU_ACCOUNTING_GEN",
];

/// Writes down what all verdicts of a judging rest on.
pub fn begin(session: &Session<'_>, station: &Station) -> RecordBegin {
    let kind = &session.package.kind;
    let mut unavailable = api::Unavailable::new();
    RecordBegin {
        tauto_version: env!("CARGO_PKG_VERSION").to_owned(),
        began_at: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        arguments: std::env::args_os().skip(1).map(|text| text.to_string_lossy().into_owned()).collect(),
        package: session.description.clone(),
        is_graded: kind.scoring || session.package.grader.is_some(),
        has_checks_between_runs: kind.interactive || kind.multi_pass.is_some(),
        case_count: session.case_count as u64,
        is_selection: session.is_selection(),
        machine: machine_identity(&session.machine),
        kernel_options: kernel_options(&mut unavailable),
        timed_cpus: station.timed_cpus().to_string(),
        helper_cpus: station.helper_cpus().to_string(),
        time_limit: document::time_limit(session),
        memory_limit_bytes: session.package.limits.memory.0,
        rule: record::recorded_rule(&session.rule, session.case_count),
        unavailable,
    }
}

/// Reads the kernel's options; the reason why they are not known goes to `unavailable`.
fn kernel_options(unavailable: &mut api::Unavailable) -> BTreeMap<String, String> {
    match probe::settings::kernel_options(&probe::Roots::host(), &KERNEL_OPTIONS) {
        Reading::Known(options) => options,
        Reading::Unavailable(why) => {
            unavailable.insert("kernel_options".to_owned(), why);
            BTreeMap::new()
        }
    }
}
