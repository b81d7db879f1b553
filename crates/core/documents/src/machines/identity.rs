//! What identifies a machine.

use crate::values::{Unavailable, value_or_reason};
use model::{Bytes, Reading};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What identifies a machine, as far as it changes times.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MachineIdentity {
    /// Model as the processor names itself.
    pub cpu_model: Option<String>,
    /// Cores with at least one CPU online; SMT siblings count as one.
    pub core_count: Option<u32>,
    /// Memory that the kernel gives out.
    pub memory_bytes: Option<u64>,
    pub kernel: Option<String>,
    /// `none`, `present` (without a name), or its name.
    pub hypervisor: Option<String>,
    /// 16 hexadecimal digits over the fields above, with the memory rounded to 256 MiB; the same after a restart.
    /// Stored with limits derived on the machine.
    pub hash: String,
    /// Why a field here is `null`.
    pub unavailable: Unavailable,
}

impl MachineIdentity {
    /// Makes it from readings and their hash.
    pub fn new(
        cpu_model: &Reading<String>,
        core_count: &Reading<u32>,
        memory: &Reading<Bytes>,
        kernel: &Reading<String>,
        hypervisor: &Reading<String>,
        hash: String,
    ) -> Self {
        let mut unavailable = Unavailable::new();
        let reasons = &mut unavailable;
        Self {
            cpu_model: value_or_reason(cpu_model, "cpu_model", reasons),
            core_count: value_or_reason(core_count, "core_count", reasons),
            memory_bytes: value_or_reason(memory, "memory_bytes", reasons),
            kernel: value_or_reason(kernel, "kernel", reasons),
            hypervisor: value_or_reason(hypervisor, "hypervisor", reasons),
            hash,
            unavailable,
        }
    }
}
