//! What counting makes of times: the ladder's programs by CPU time on an own core, by CPU time among loads, and by instructions among
//! loads.

use super::{CpuTerms, LabError, LoadSet, Ready, Testbed, rounds};
use model::{Nanos, RunResult};
use sandbox::Counter;
use std::collections::BTreeMap;

/// How long a run waits for its core to be at its best.
const PATIENCE: Nanos = Nanos::from_millis(2_000);

/// How a program is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Arm {
    /// By CPU time, on a leased core with nothing on the others.
    Calm,
    /// By CPU time, on any CPU, while all are busy.
    Loaded,
    /// By instructions, on any CPU, while all are busy.
    Counted,
}

impl Arm {
    pub const ALL: [Self; 3] = [Self::Calm, Self::Loaded, Self::Counted];
}

/// The runs of each program in each arm, in order.
pub type Runs = BTreeMap<(usize, Arm), Vec<RunResult>>;

/// Runs each program once in each arm in every round. Results before an error are kept.
pub fn run(
    programs: &[Ready],
    counter: &Counter,
    round_count: u32,
    testbed: &mut Testbed,
    loads: &mut LoadSet,
    receive: &mut dyn FnMut(&str) -> Result<(), LabError>,
) -> (Runs, Option<LabError>) {
    let mut runs = Runs::new();
    let mut attempt = || -> Result<(), LabError> {
        for (_, at) in rounds(Arm::ALL.len(), round_count) {
            let arm = Arm::ALL[at];
            loads.work(arm != Arm::Calm)?;
            for (number, ready) in programs.iter().enumerate() {
                receive(ready.program.name)?;
                let result = match arm {
                    Arm::Calm => ready.run_when_calm(testbed, CpuTerms::Own, PATIENCE)?.0,
                    Arm::Loaded => ready.run(testbed, CpuTerms::Anywhere)?,
                    Arm::Counted => ready.run_counted(testbed, counter)?,
                };
                runs.entry((number, arm)).or_default().push(result);
            }
        }
        loads.work(false)
    };
    let error = attempt().err();
    (runs, error)
}
