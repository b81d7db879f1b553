//! Settings that cannot be changed on a running system: the kernel's command line and the firmware, as lines to paste.

use super::finding::{Remedy, Setting};
use super::{Aim, Snapshot};
use model::Reading;
use std::collections::BTreeSet;
use system::machine::Hypervisor;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// The kernel's command line; `None` if there is nothing to add.
    pub boot: Option<BootLines>,
    /// What to set in the firmware, or to request from the operator of the host.
    pub firmware: Vec<&'static str>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BootLines {
    pub parameters: String,
    pub grub: Vec<String>,
    pub systemd_boot: Vec<String>,
}

impl Advice {
    pub fn of(settings: &[Setting], aim: &Reading<Aim>, snapshot: &Snapshot) -> Self {
        let mut parameters = Vec::new();
        let mut seen = BTreeSet::new();
        for setting in settings {
            let Remedy::Boot(wanted) = &setting.remedy else { continue };
            parameters.extend(wanted.iter().filter(|parameter| seen.insert(*parameter)).cloned());
        }
        // `irqaffinity` also applies to interrupts that appear during boot, before anything could be written.
        if let Reading::Known(aim) = aim
            && parameters.iter().any(|parameter| parameter.starts_with("isolcpus="))
        {
            parameters.push(format!("irqaffinity={}", aim.housekeeping));
        }
        let boot = (!parameters.is_empty()).then(|| BootLines::of(&parameters.join(" ")));
        let firmware = match &snapshot.hypervisor {
            Reading::Known(Hypervisor::None) | Reading::Unavailable(_) => REAL,
            Reading::Known(_) => VIRTUAL,
        };
        Self { boot, firmware: firmware.to_vec() }
    }
}

/// Firmware of real hardware; menus have various names for these.
const REAL: &[&str] = &[
    "Hyper-Threading (SMT): off, if half of the CPUs are enough",
    "Turbo Boost (AMD: Core Performance Boost): off",
    "SpeedStep and Speed Shift (AMD: Cool'n'Quiet): off, or the power profile 'maximum performance'",
    "C-states deeper than C1: off",
    "NUMA (node) interleaving: off, so that the kernel sees the nodes",
    "microcode and firmware: the newest, the same on all machines of a pool",
];
/// What the user of a guest can only request.
const VIRTUAL: &[&str] = &[
    "this is a virtual machine: have the host pin each of its CPUs to a dedicated core",
    "on the host: turbo off, a fixed frequency, no deep C-states, no page merging, no memory balloon",
];

impl BootLines {
    fn of(parameters: &str) -> Self {
        Self {
            parameters: parameters.to_owned(),
            grub: vec![
                format!(
                    "printf '%s\\n' 'GRUB_CMDLINE_LINUX=\"$GRUB_CMDLINE_LINUX {parameters}\"' >> /etc/default/grub"
                ),
                "update-grub  (Fedora, openSUSE: grub2-mkconfig -o /boot/grub2/grub.cfg)".to_owned(),
            ],
            systemd_boot: vec![
                format!("sed -i 's|$| {parameters}|' /etc/kernel/cmdline"),
                "kernel-install add \"$(uname -r)\" /boot/vmlinuz-\"$(uname -r)\"".to_owned(),
            ],
        }
    }
}
