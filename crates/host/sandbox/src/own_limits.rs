//! The resource limits with which this process was started. Every run inherits them, and raising them needs a
//! capability that containers rarely have: with `ulimit -t 2` a program within its time limit would be killed, and the
//! verdict would be wrong.

use crate::SandboxError;
use rustix::process::{Resource, getrlimit};

/// The hard limits of this process that affect a run; `None` means unlimited.
#[derive(Debug)]
pub struct OwnLimits([(Limited, Option<u64>); 6]);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limited {
    AddressSpace,
    Data,
    CpuTime,
    FileSize,
    /// Bytes of the main thread's stack.
    Stack,
    /// Processes of one user.
    Processes,
}

impl Limited {
    const ALL: [Self; 6] =
        [Self::AddressSpace, Self::Data, Self::CpuTime, Self::FileSize, Self::Stack, Self::Processes];

    fn resource(self) -> Resource {
        match self {
            Self::AddressSpace => Resource::As,
            Self::Data => Resource::Data,
            Self::CpuTime => Resource::Cpu,
            Self::FileSize => Resource::Fsize,
            Self::Stack => Resource::Stack,
            Self::Processes => Resource::Nproc,
        }
    }

    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::AddressSpace => ("address space", "bytes"),
            Self::Data => ("data", "bytes"),
            Self::CpuTime => ("CPU time", "s"),
            Self::FileSize => ("file size", "bytes"),
            Self::Stack => ("stack", "bytes"),
            Self::Processes => ("processes", "of one user"),
        }
    }

    fn letter(self) -> char {
        match self {
            Self::AddressSpace => 'v',
            Self::Data => 'd',
            Self::CpuTime => 't',
            Self::FileSize => 'f',
            Self::Stack => 's',
            Self::Processes => 'u',
        }
    }
}

impl OwnLimits {
    pub fn read() -> Self {
        Self(Limited::ALL.map(|limited| (limited, getrlimit(limited.resource()).maximum)))
    }

    /// Checks that a run can have this much; `None` means unlimited.
    ///
    /// # Errors
    /// When this process was started with a lower limit.
    pub fn allow(&self, wanted: Limited, value: Option<u64>) -> Result<(), SandboxError> {
        let held = self.0.iter().find(|(limited, _)| *limited == wanted).and_then(|(_, held)| *held);
        match held {
            Some(held) if value.is_none_or(|value| value > held) => {
                let (resource, unit) = wanted.words();
                Err(SandboxError::OwnLimit { resource, held, unit, letter: wanted.letter() })
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_cannot_have_more_than_this_process() {
        let mut limits = OwnLimits(Limited::ALL.map(|limited| (limited, None)));
        assert!(Limited::ALL.iter().all(|limited| limits.allow(*limited, None).is_ok()));
        limits.0[2].1 = Some(2);
        limits.0[4].1 = Some(8 << 20);
        assert_eq!(
            limits.allow(Limited::CpuTime, None).unwrap_err().to_string(),
            "tauto was started with a limit on CPU time (2 s), which would limit what it runs as well"
        );
        assert!(limits.allow(Limited::Stack, Some(8 << 20)).is_ok());
        assert!(limits.allow(Limited::Stack, Some(9 << 20)).is_err());
        assert!(limits.allow(Limited::Stack, None).is_err());
        assert!(limits.allow(Limited::Data, None).is_ok());
    }
}
