//! Which clock times are told and limited by.

use clap::ValueEnum;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ClockName {
    /// CPU time of the processor
    #[default]
    Cpu,
    /// Instructions, counted under an emulator
    Instructions,
}
