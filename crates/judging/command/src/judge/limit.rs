//! The derived limit that a call reuses or stores.

use crate::arguments::JudgeArguments;
use host_command::wire::machine_identity;
use judge::Problem;
use model::Nanos;
use package::{Package, TimeLimitRule};
use record::{LimitRecord, LimitStore};

/// Looks for the stored limit, if the package needs a derived one and `arguments` do not set another.
///
/// A limit derived with other toolchains than the machine's own is not used for other calls.
pub fn store(
    arguments: &JudgeArguments,
    package: &Package,
    description: documents::Package,
    machine: &system::MachineIdentity,
) -> Option<LimitStore> {
    let is_for_this_call = arguments.root.is_given() || arguments.languages.is_some();
    let is_derived = matches!(package.time_limit, TimeLimitRule::Derive { .. });
    if !is_derived || arguments.time_limit.is_some() || is_for_this_call {
        return None;
    }
    let folder = terminal::state::folder()?.join("limits");
    let mut store = LimitStore::open(&folder, description, machine_identity(machine))?;
    if arguments.derive
        && let Some(before) = store.forget()
    {
        store.warnings.push(format!(
            "--derive replaces the limit {} that was derived at {}",
            Nanos(before.limit_ns),
            before.derivation.derived_at
        ));
    }
    Some(store)
}

/// Stores the limit if it was just derived and is not for this call only, and returns its derivation.
pub fn keep(store: Option<&mut LimitStore>, problem: &Problem) -> LimitRecord {
    let Some(derivation) = problem.derivation() else {
        return store.map_or_else(LimitRecord::default, |store| store.reused());
    };
    // A limit in instructions is no time of this machine.
    match store {
        Some(store) if !problem.is_from_rejected() && problem.counter().is_none() => {
            store.keep(problem.time_limit().limit, derivation)
        }
        _ => LimitRecord { derivation: Some(derivation), ..LimitRecord::default() },
    }
}
