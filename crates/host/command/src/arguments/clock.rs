//! By which clock times are measured and limited.

use clap::ValueEnum;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ClockName {
    /// CPU time of the processor
    #[default]
    Cpu,
    /// Instructions, counted by the processor or under an emulator
    Instructions,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum CounterName {
    /// The processor where its counter works, else an emulator
    #[default]
    Auto,
    /// The processor: at full speed, where machines have such counters
    Hardware,
    /// An emulator (qemu-user): the same count on all machines, ten times as slowly
    Emulated,
}
