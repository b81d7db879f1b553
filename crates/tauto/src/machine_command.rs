//! `tauto machine`: what this machine is and does, its settings, and who may run where on it.

mod advice;
mod allocate;
mod audit;
pub mod audit_tables;
mod check;
mod restore;
mod topology;
mod tune;

use crate::arguments::MachineCommand;
use std::process::ExitCode;

/// Does what was asked.
///
/// # Errors
/// When it cannot be done at all.
pub fn run(command: &MachineCommand, json: bool) -> anyhow::Result<ExitCode> {
    match command {
        MachineCommand::Audit(arguments) => audit::run(arguments, json),
        MachineCommand::Topology(arguments) => topology::run(arguments, json),
        MachineCommand::Check(arguments) => check::run(arguments, json),
        MachineCommand::Tune(arguments) => tune::run(arguments, json),
        MachineCommand::Restore(arguments) => restore::run(arguments, json),
        MachineCommand::Allocate(arguments) => allocate::run(arguments, json),
    }
}
