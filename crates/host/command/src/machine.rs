//! `tauto machine`: the machine's properties, its settings, and which tasks may run where.

mod advice;
mod allocate;
mod audit;
pub mod audit_tables;
pub mod check;
mod restore;
mod topology;
mod tune;

use crate::arguments::MachineCommand;
use std::process::ExitCode;

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
