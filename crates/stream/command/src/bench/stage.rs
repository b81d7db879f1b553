//! The CPUs that are measured on.

use host_command::here::{busy, stay_on};
use model::CpuSet;
use std::num::NonZeroU32;
use timing::{Choice, IfTaken, PlaceError, TimedCpus};

/// One CPU for what is measured, and if possible another one for the sender.
pub struct Stage {
    cpus: TimedCpus,
    sender: Option<CpuSet>,
    warnings: Vec<String>,
}

impl Stage {
    pub fn take(if_taken: &IfTaken) -> anyhow::Result<Self> {
        let host = timing::host_cpus().map_err(PlaceError::from)?;
        let mut cpus = TimedCpus::take(host, &Choice::Leased(NonZeroU32::MIN), if_taken)?;
        let mut warnings = cpus.warnings().to_vec();
        let free = cpus.take_neighbours()?;
        let neighbours = if free.is_empty() { cpus.neighbours() } else { free.clone() };
        let sender = neighbours.iter().next_back().map(|cpu| CpuSet::from_iter([cpu]));
        match &sender {
            None => {
                warnings.push("there is one CPU: the sender and the contestant take turns on it".to_owned())
            }
            Some(cpu) if free.is_empty() => {
                warnings.push(format!("other tauto processes time on {}, where the sender is", cpu.named()));
            }
            Some(_) => {}
        }
        warnings.extend(busy(0.5));
        Ok(Self { cpus, sender, warnings })
    }

    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    pub fn description(&self) -> String {
        let sender =
            self.sender.as_ref().map_or_else(String::new, |cpu| format!(", the sender on {}", cpu.named()));
        format!("Measured on {}{sender}.", self.cpus.cpus().named())
    }

    /// Whether what is measured and the sender each have a CPU.
    pub fn has_two(&self) -> bool {
        self.sender.is_some() && !self.cpus.is_shared()
    }

    /// Puts this thread where things are measured.
    pub fn measure_here(&self) -> anyhow::Result<()> {
        stay_on(self.cpus.cpus())
    }

    /// Puts this thread where the sender is.
    pub fn send_here(&self) -> anyhow::Result<()> {
        self.sender.as_ref().map_or(Ok(()), stay_on)
    }
}

/// Returns the size of the L2 cache of a CPU, as the kernel reports it.
pub fn l2_bytes() -> Option<u64> {
    let cache = |index: u32, file: &str| {
        std::fs::read_to_string(format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{file}")).ok()
    };
    let index = (0..8).find(|index| cache(*index, "level").is_some_and(|level| level.trim() == "2"))?;
    let kib: u64 = cache(index, "size")?.trim().strip_suffix('K')?.parse().ok()?;
    Some(kib << 10)
}
