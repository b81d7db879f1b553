//! Describes the machine, from files and a few calls that change nothing; read once.

mod capabilities;
mod cgroups;
mod cpus;
mod facts;
mod host;
mod identity;
mod isolation;

pub use capabilities::{Capability, CapabilitySet};
pub use cgroups::{CgroupLayout, CgroupMount, CgroupVersion, Controller, ControllerPlace};
pub use cpus::{Cpus, Hypervisor, allowed_cpus, hypervisor};
use facts::{Facts, shown};
pub use host::{Host, Kernel, KernelAnswers, KernelVersion, Memory, Space};
pub use identity::MachineIdentity;
pub use isolation::{Isolation, Namespace};

use crate::Roots;
use model::Reading;

/// Everything that is known about a machine; values that cannot be read have a reason instead.
#[derive(Clone, Debug)]
pub struct Machine {
    pub kernel: Kernel,
    pub cpus: Cpus,
    pub memory: Memory,
    pub cgroups: CgroupLayout,
    pub isolation: Isolation,
    pub host: Host,
}

impl Machine {
    /// Reads the machine below `roots`; `answers` are values that only system calls return.
    pub fn read(roots: &Roots, answers: &KernelAnswers) -> Self {
        Self {
            kernel: Kernel::read(roots, answers),
            cpus: Cpus::read(roots),
            memory: Memory::read(roots),
            cgroups: CgroupLayout::read(roots),
            isolation: Isolation::read(roots, answers),
            host: Host::read(roots, answers),
        }
    }

    pub fn here() -> Self {
        Self::read(&Roots::host(), &KernelAnswers::ask())
    }

    pub fn identity(&self) -> MachineIdentity {
        MachineIdentity::of(self)
    }

    /// Lists everything as names and texts, for display and for the doctor's report.
    pub fn facts(&self) -> Vec<(&'static str, Reading<String>)> {
        let mut facts = Vec::new();
        self.kernel.facts(&mut facts);
        self.cpus.facts(&mut facts);
        self.memory.facts(&mut facts);
        self.cgroups.facts(&mut facts);
        self.isolation.facts(&mut facts);
        self.host.facts(&mut facts);
        facts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_can_be_read() {
        let machine = Machine::here();
        assert!(machine.kernel.version.known().is_some(), "{:?}", machine.kernel);
        assert!(machine.cpus.allowed.known().is_some_and(|cpus| !cpus.is_empty()));
        for (name, fact) in machine.facts() {
            println!("{name}: {fact}");
            if let Reading::Unavailable(why) = fact {
                assert!(!why.is_empty() && why != "not read", "{name} does not say why");
            }
        }
    }

    #[test]
    fn an_empty_tree_gives_reasons_and_no_panic() {
        let tree = test_tree::Tree::new(&[("proc/", "")]);
        let machine = Machine::read(&Roots::under(tree.path()), &KernelAnswers::unasked("a test"));
        let known: Vec<_> = machine
            .facts()
            .into_iter()
            .filter_map(|(name, fact)| fact.known().map(|value| format!("{name}: {value}")))
            .collect();
        assert_eq!(known, ["cgroup layout: none", "/dev/kvm: absent", "container: none seen"]);
    }
}
