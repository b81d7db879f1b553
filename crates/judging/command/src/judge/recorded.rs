//! The line with which the record of a judging begins.

use super::left_out::LeftOut;
use super::{Session, document};
use documents::RecordBegin;
use host_command::wire::machine_identity;
use judge::Station;
use record::{Circumstances, JudgingMachine, KERNEL_OPTIONS};
use settings::kernel_options;
use system::Roots;

/// Records the basis of all verdicts of a judging.
pub fn begin(session: &Session<'_>, station: &Station) -> RecordBegin {
    let around = Circumstances {
        arguments: std::env::args_os().skip(1).map(|text| text.to_string_lossy().into_owned()).collect(),
        package: session.description.clone(),
        machine: JudgingMachine {
            identity: machine_identity(&session.machine),
            kernel_options: kernel_options(&Roots::host(), &KERNEL_OPTIONS),
            timed_cpus: station.timed_cpus(),
            helper_cpus: station.helper_cpus(),
        },
        time_limit: document::time_limit(session),
        not_judged: session.left_out.iter().map(LeftOut::document).collect(),
    };
    session.basis().begin(session.package, around)
}
