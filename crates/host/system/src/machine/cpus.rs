//! Processors: their number, their cores, and what changes their speed.

use super::{Facts, shown};
use crate::{Roots, files};
use model::{CpuId, CpuSet, Reading};
use std::collections::BTreeSet;
use std::fmt;

#[derive(Clone, Debug)]
pub struct Cpus {
    pub model: Reading<String>,
    pub online: Reading<CpuSet>,
    pub allowed: Reading<CpuSet>,
    /// Cores with at least one online CPU.
    pub core_count: Reading<u32>,
    pub hypervisor: Reading<Hypervisor>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hypervisor {
    /// Real hardware, as far as this can be determined.
    None,
    Unnamed,
    Named(String),
}

impl fmt::Display for Hypervisor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::None => "none",
            Self::Unnamed => "present",
            Self::Named(name) => name,
        })
    }
}

/// Returns which CPUs this process may use: the mask of `sched_getaffinity` for the main thread.
pub fn allowed_cpus(roots: &Roots) -> Reading<CpuSet> {
    files::and_then(files::text(&roots.proc.join("self/status")), |status| {
        files::field(&status, "Cpus_allowed_list")
            .ok_or_else(|| "/proc/self/status has no Cpus_allowed_list line".to_owned())?
            .parse()
            .map_err(|error| format!("/proc/self/status: {error}"))
    })
}

impl Cpus {
    pub fn read(roots: &Roots) -> Self {
        let directory = roots.sys.join("devices/system/cpu");
        let cpuinfo = files::text(&roots.proc.join("cpuinfo"));
        let online = files::value::<CpuSet>(&directory.join("online"));
        let cores = cores(roots, &online);
        Self {
            model: model(&cpuinfo),
            allowed: allowed_cpus(roots),
            core_count: cores.map(|cores| u32::try_from(cores.len()).unwrap_or(u32::MAX)),
            hypervisor: hypervisor(roots, &cpuinfo),
            online,
        }
    }

    pub(super) fn facts(&self, facts: &mut Facts) {
        facts.extend([
            ("CPU model", self.model.clone()),
            ("online CPUs", shown(&self.online)),
            ("allowed CPUs", shown(&self.allowed)),
            ("cores", shown(&self.core_count)),
            ("hypervisor", shown(&self.hypervisor)),
        ]);
    }
}

fn model(cpuinfo: &Reading<String>) -> Reading<String> {
    files::and_then(cpuinfo.clone(), |text| {
        // x86 and RISC-V have a name; ARM has only numbers of the vendor and the part.
        let named =
            ["model name", "Model Name", "uarch", "cpu"].into_iter().find_map(|key| files::field(&text, key));
        if let Some(name) = named {
            return Ok(name.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        match (files::field(&text, "CPU implementer"), files::field(&text, "CPU part")) {
            (Some(implementer), Some(part)) => Ok(format!("ARM implementer {implementer} part {part}")),
            _ => Err("/proc/cpuinfo names no model".to_owned()),
        }
    })
}

fn cores(roots: &Roots, online: &Reading<CpuSet>) -> Reading<BTreeSet<CpuSet>> {
    files::and_then(online.clone(), |online| {
        online
            .iter()
            .map(|cpu| {
                let directory = cpu_directory(roots, cpu).join("topology");
                // `core_cpus_list` is the newer name of the same file.
                let list = match files::value::<CpuSet>(&directory.join("core_cpus_list")) {
                    Reading::Known(list) => Reading::Known(list),
                    Reading::Unavailable(_) => files::value(&directory.join("thread_siblings_list")),
                };
                match list {
                    Reading::Known(list) => Ok(list.intersection(&online)),
                    Reading::Unavailable(why) => Err(why),
                }
            })
            .collect()
    })
}

/// Returns which hypervisor runs this machine, from its own description and from the processor's flags.
pub fn hypervisor(roots: &Roots, cpuinfo: &Reading<String>) -> Reading<Hypervisor> {
    /// Words that only occur in a virtual machine's product name.
    const VIRTUAL_PRODUCTS: [&str; 8] = [
        "KVM",
        "QEMU",
        "VMware",
        "VirtualBox",
        "Virtual Machine",
        "Firecracker",
        "Amazon EC2",
        "Google Compute",
    ];
    let product = files::text(&roots.sys.join("class/dmi/id/product_name"));
    let product = product.known().filter(|name| !name.is_empty() && !name.ends_with(".metal"));
    let virtual_product = product.filter(|name| VIRTUAL_PRODUCTS.iter().any(|word| name.contains(word)));
    if let Reading::Known(kind) = files::text(&roots.sys.join("hypervisor/type")) {
        return Reading::Known(Hypervisor::Named(kind));
    }
    let flag = cpuinfo.known().and_then(|text| {
        files::field(text, "flags").map(|flags| flags.split_whitespace().any(|flag| flag == "hypervisor"))
    });
    match (flag, virtual_product) {
        (Some(false), _) => Reading::Known(Hypervisor::None),
        (_, Some(name)) => Reading::Known(Hypervisor::Named(name.clone())),
        (Some(true), None) => Reading::Known(Hypervisor::Unnamed),
        (None, None) => {
            Reading::unavailable("this processor has no flag for it, and the firmware names no product")
        }
    }
}

fn cpu_directory(roots: &Roots, cpu: CpuId) -> std::path::PathBuf {
    roots.sys.join(format!("devices/system/cpu/cpu{cpu}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use test_tree::Tree;

    const CPU: &str = "sys/devices/system/cpu";

    fn smt_tree() -> Tree {
        let tree = Tree::new(&[
            ("sys/devices/system/cpu/online", "0-2\n"),
            ("proc/self/status", "Cpus_allowed_list:\t0,2\n"),
            (
                "proc/cpuinfo",
                "processor\t: 0\nmodel name\t: Fast   CPU @ 3GHz\nflags\t\t: fpu hypervisor lahf\n",
            ),
        ]);
        // CPU 3 is the offline sibling of CPU 1.
        for (cpu, siblings) in [(0, "0,2"), (1, "1,3"), (2, "0,2")] {
            tree.write(&[(&format!("{CPU}/cpu{cpu}/topology/thread_siblings_list"), siblings)]);
        }
        tree
    }

    #[test]
    fn siblings_are_those_online() {
        let tree = smt_tree();
        let cpus = Cpus::read(&Roots::under(tree.path()));
        assert_eq!(cpus.core_count, Reading::Known(2));
        assert_eq!(cpus.allowed, Reading::Known("0,2".parse().unwrap()));
        assert_eq!(cpus.model, Reading::Known("Fast CPU @ 3GHz".to_owned()));
        assert_eq!(cpus.hypervisor, Reading::Known(Hypervisor::Unnamed));
    }

    #[test]
    fn hypervisors_are_distinguished_from_hardware() {
        let check = |files: &[(&str, &str)], expected: &str| {
            let tree = Tree::new(files);
            assert_eq!(Cpus::read(&Roots::under(tree.path())).hypervisor.to_string(), expected, "{files:?}");
        };
        check(&[("proc/cpuinfo", "flags: fpu\n"), ("sys/class/dmi/id/product_name", "KVM\n")], "none");
        check(&[("proc/cpuinfo", "flags: hypervisor\n"), ("sys/class/dmi/id/product_name", "KVM\n")], "KVM");
        check(&[("proc/cpuinfo", "flags: hypervisor\n"), ("sys/hypervisor/type", "xen\n")], "xen");
        check(
            &[("proc/cpuinfo", "CPU part: 0xd0c\n"), ("sys/class/dmi/id/product_name", "c7g.metal\n")],
            "unavailable: this processor has no flag for it, and the firmware names no product",
        );
    }
}
