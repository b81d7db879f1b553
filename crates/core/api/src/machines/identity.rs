//! What tells one machine from another.

use crate::values::{Unavailable, value_or_reason};
use model::{Bytes, Reading};
use serde::{Deserialize, Serialize};

/// What tells one machine from another as far as times go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineIdentity {
    /// The processor's model.
    pub cpu_model: Option<String>,
    /// Cores with an online CPU.
    pub core_count: Option<u32>,
    /// Memory that the kernel gives out.
    pub memory_bytes: Option<u64>,
    /// The kernel's release.
    pub kernel: Option<String>,
    /// `none`, `present`, or the hypervisor's name.
    pub hypervisor: Option<String>,
    /// The same text for the same kind of machine; stored with limits derived on it.
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
