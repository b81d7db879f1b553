//! What a run may use.

use crate::{Bytes, InstructionCount, Nanos};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What one run may use; `None` means that this is not limited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// User and system time of all processes of the run together.
    pub cpu_time: Option<Nanos>,
    pub wall_time: Option<Nanos>,
    /// Instructions that all processes of the run execute together; only where they are counted as they are executed.
    pub instructions: Option<InstructionCount>,
    /// Memory of all processes of the run together, files in the box included.
    pub memory: Option<Bytes>,
    pub processes: Option<u32>,
    /// Bytes written to standard output and standard error together.
    pub output: Option<Bytes>,
    /// Size of the largest file (`RLIMIT_FSIZE`).
    pub file_size: Option<Bytes>,
    /// Descriptors open at once in one process (`RLIMIT_NOFILE`); `None` leaves it to the sandbox.
    pub open_files: Option<u32>,
    /// Stack of the main thread (`RLIMIT_STACK`); `None` leaves it to the memory limit.
    pub stack: Option<Bytes>,
    /// Bytes of all files in the box together.
    pub box_size: Bytes,
    pub box_files: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "LimitName")]
pub enum LimitKind {
    CpuTime,
    WallTime,
    Memory,
    Output,
    Instructions,
}

impl LimitKind {
    /// Returns what a run did that passed it. A run that writes too much may still have ended by itself.
    pub fn passed(self) -> String {
        match self {
            Self::Output => format!("wrote more than its {self} limit"),
            Self::CpuTime | Self::WallTime | Self::Memory | Self::Instructions => {
                format!("was ended at its {self} limit")
            }
        }
    }
}

impl Limits {
    /// Makes limits that bound nothing but the box.
    pub const fn unlimited() -> Self {
        Self {
            cpu_time: None,
            wall_time: None,
            instructions: None,
            memory: None,
            processes: None,
            output: None,
            file_size: None,
            open_files: None,
            stack: None,
            box_size: Bytes::from_mib(256),
            box_files: 65_536,
        }
    }
}

impl fmt::Display for LimitKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::CpuTime => "CPU time",
            Self::WallTime => "wall time",
            Self::Memory => "memory",
            Self::Output => "output",
            Self::Instructions => "instruction",
        })
    }
}
