//! By which clock times are measured and limited.

use clap::ValueEnum;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ClockName {
    /// CPU time of the processor
    #[default]
    Cpu,
    /// Instructions, counted under an emulator
    Instructions,
}
