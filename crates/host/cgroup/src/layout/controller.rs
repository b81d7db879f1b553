//! The controllers that slots use.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Controller {
    Cpu,
    /// CPU time (version 1 only; in version 2 every group counts it).
    CpuAcct,
    CpuSet,
    Memory,
    Pids,
}

impl Controller {
    const ALL: [Self; 5] = [Self::Cpu, Self::CpuAcct, Self::CpuSet, Self::Memory, Self::Pids];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::CpuAcct => "cpuacct",
            Self::CpuSet => "cpuset",
            Self::Memory => "memory",
            Self::Pids => "pids",
        }
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|controller| controller.name() == name)
    }
}

impl fmt::Display for Controller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
