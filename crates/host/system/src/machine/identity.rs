//! Identifies a machine; stored with the limits derived on it.

use super::{Hypervisor, Machine};
use model::{Bytes, Reading};
use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineIdentity {
    pub cpu_model: Reading<String>,
    /// Cores with an online CPU.
    pub core_count: Reading<u32>,
    pub memory: Reading<Bytes>,
    pub kernel: Reading<String>,
    pub hypervisor: Reading<Hypervisor>,
}

impl MachineIdentity {
    pub fn of(machine: &Machine) -> Self {
        Self {
            cpu_model: machine.cpus.model.clone(),
            core_count: machine.cpus.core_count.clone(),
            memory: machine.memory.total.clone(),
            kernel: machine.kernel.release.clone(),
            hypervisor: machine.cpus.hypervisor.clone(),
        }
    }

    /// Returns 16 hexadecimal digits that do not change on reboots and differ between kinds of machine.
    pub fn hash(&self) -> String {
        /// At each boot the kernel reserves a slightly different amount for itself.
        const MEMORY_STEP: u64 = 256 << 20;
        let memory = self.memory.known().map(|memory| (memory.0 + MEMORY_STEP / 2) / MEMORY_STEP);
        // The reason of an unavailable reading may contain a path or an error text, which must not change the hash.
        let parts = [
            self.cpu_model.known().cloned(),
            self.core_count.known().map(u32::to_string),
            memory.map(|steps| steps.to_string()),
            self.kernel.known().cloned(),
            self.hypervisor.known().map(Hypervisor::to_string),
        ];
        let text: String = parts
            .into_iter()
            .map(|part| part.map_or("?\n".to_owned(), |part| format!("={part}\n")))
            .collect();
        format!("{:016x}", fnv1a(text.as_bytes()))
    }
}

/// FNV-1a with 64 bits: the same on every machine and in every version, unlike the standard hasher.
fn fnv1a(bytes: &[u8]) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    bytes.iter().fold(OFFSET, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(PRIME))
}

impl fmt::Display for MachineIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = |text: Option<String>| text.unwrap_or_else(|| "unknown".to_owned());
        write!(
            f,
            "{}, {} cores, {}, kernel {}, hypervisor {}",
            known(self.cpu_model.known().cloned()),
            known(self.core_count.known().map(u32::to_string)),
            known(self.memory.known().map(Bytes::to_string)),
            known(self.kernel.known().cloned()),
            known(self.hypervisor.known().map(Hypervisor::to_string)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity() -> MachineIdentity {
        MachineIdentity {
            cpu_model: Reading::Known("Fast CPU".to_owned()),
            core_count: Reading::Known(2),
            memory: Reading::Known(Bytes::from_mib(24_000)),
            kernel: Reading::Known("6.18.1".to_owned()),
            hypervisor: Reading::Known(Hypervisor::None),
        }
    }

    #[test]
    fn fnv_gives_the_published_values() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn hash_is_stable_over_restarts_and_differs_between_machines() {
        let hash = identity().hash();
        let restarted = MachineIdentity { memory: Reading::Known(Bytes::from_mib(24_010)), ..identity() };
        assert_eq!(hash, restarted.hash());
        let others = [
            MachineIdentity { cpu_model: Reading::Known("Slow CPU".to_owned()), ..identity() },
            MachineIdentity { core_count: Reading::Known(4), ..identity() },
            MachineIdentity { memory: Reading::Known(Bytes::from_mib(12_000)), ..identity() },
            MachineIdentity { kernel: Reading::unavailable("no"), ..identity() },
            MachineIdentity { hypervisor: Reading::Known(Hypervisor::Unnamed), ..identity() },
        ];
        for other in others {
            assert_ne!(hash, other.hash(), "{other}");
        }
        let why = |text: &str| MachineIdentity { kernel: Reading::unavailable(text), ..identity() }.hash();
        assert_eq!(why("a"), why("b"));
    }

    #[test]
    fn identity_is_printed_on_one_line() {
        assert_eq!(identity().to_string(), "Fast CPU, 2 cores, 23.44 GiB, kernel 6.18.1, hypervisor none");
    }
}
