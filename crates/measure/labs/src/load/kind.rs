//! The kinds of load.

use std::fmt;
use std::str::FromStr;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LoadKind {
    /// Computes in registers.
    Cpu,
    /// Streams over memory larger than the last-level cache.
    Memory,
    /// Writes a file and syncs it to disk, repeatedly.
    Io,
}

impl LoadKind {
    pub const ALL: [Self; 3] = [Self::Cpu, Self::Memory, Self::Io];

    /// Returns its name.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Memory => "memory",
            Self::Io => "io",
        }
    }

    /// Returns the unit in which its work is counted.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Cpu => "steps",
            Self::Memory | Self::Io => "bytes",
        }
    }
}

impl fmt::Display for LoadKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl FromStr for LoadKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.word() == text)
            .ok_or_else(|| format!("'{text}' is not a load; use one of cpu, memory, io"))
    }
}
