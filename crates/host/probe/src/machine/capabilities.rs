//! The capabilities of this process, by name.

use crate::Roots;
use crate::files;
use model::Reading;
use std::fmt;

/// Names in the order of the kernel's numbers (`include/uapi/linux/capability.h`).
const NAMES: [&str; 41] = [
    "chown",
    "dac_override",
    "dac_read_search",
    "fowner",
    "fsetid",
    "kill",
    "setgid",
    "setuid",
    "setpcap",
    "linux_immutable",
    "net_bind_service",
    "net_broadcast",
    "net_admin",
    "net_raw",
    "ipc_lock",
    "ipc_owner",
    "sys_module",
    "sys_rawio",
    "sys_chroot",
    "sys_ptrace",
    "sys_pacct",
    "sys_admin",
    "sys_boot",
    "sys_nice",
    "sys_resource",
    "sys_time",
    "sys_tty_config",
    "mknod",
    "lease",
    "audit_write",
    "audit_control",
    "setfcap",
    "mac_override",
    "mac_admin",
    "syslog",
    "wake_alarm",
    "block_suspend",
    "audit_read",
    "perfmon",
    "bpf",
    "checkpoint_restore",
];

/// One capability that something here asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capability {
    /// Any change of groups.
    SetGid = 6,
    /// Any change of users.
    SetUid = 7,
    /// Network interfaces and their settings.
    NetAdmin = 12,
    /// Mounts, namespaces and much else.
    SysAdmin = 21,
    /// Priorities and CPU masks of others.
    SysNice = 23,
    /// Limits above the hard ones.
    SysResource = 24,
}

/// The effective capabilities of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapabilitySet(u64);

impl CapabilitySet {
    /// Reads those of this process.
    pub fn read(roots: &Roots) -> Reading<Self> {
        files::and_then(files::text(&roots.proc.join("self/status")), |status| {
            files::field(&status, "CapEff")
                .and_then(|mask| u64::from_str_radix(mask, 16).ok())
                .map(Self)
                .ok_or_else(|| "/proc/self/status has no CapEff line with a hexadecimal mask".to_owned())
        })
    }

    /// Returns whether `capability` is there.
    pub fn has(self, capability: Capability) -> bool {
        self.0 & (1 << capability as u32) != 0
    }

    /// Names what is there; a number that this program does not know is `cap_NN`.
    pub fn names(self) -> Vec<String> {
        (0..u64::BITS)
            .filter(|bit| self.0 & (1 << bit) != 0)
            .map(|bit| {
                NAMES.get(bit as usize).map_or_else(|| format!("cap_{bit}"), |name| (*name).to_owned())
            })
            .collect()
    }

    /// Names those of the 41 known ones that are not there.
    pub fn missing_names(self) -> Vec<&'static str> {
        NAMES.iter().enumerate().filter(|(bit, _)| self.0 & (1 << bit) == 0).map(|(_, name)| *name).collect()
    }
}

/// Prints the shorter of the two ways to say it.
impl fmt::Display for CapabilitySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (names, missing) = (self.names(), self.missing_names());
        if names.is_empty() {
            f.write_str("none")
        } else if missing.is_empty() {
            f.write_str("all")
        } else if missing.len() < names.len() {
            write!(f, "all but {}", missing.join(", "))
        } else {
            f.write_str(&names.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Tree;

    fn check(mask: &str, printed: &str) {
        let tree = Tree::new(&[("proc/self/status", &format!("Name:\tx\nCapEff:\t{mask}\n"))]);
        let text = CapabilitySet::read(&tree.roots()).to_string();
        assert_eq!(text, printed, "{mask}");
    }

    #[test]
    fn masks_are_named() {
        check("0000000000000000", "none");
        check("000001ffffffffff", "all");
        check("000001fffeffffff", "all but sys_resource");
        check("00000000000000c0", "setgid, setuid");
        check("0000020000000001", "chown, cap_41");
        check("zz", "unavailable: /proc/self/status has no CapEff line with a hexadecimal mask");
    }

    #[test]
    fn the_asked_for_ones_have_their_kernel_numbers() {
        for (capability, name) in [
            (Capability::SetGid, "setgid"),
            (Capability::SetUid, "setuid"),
            (Capability::NetAdmin, "net_admin"),
            (Capability::SysAdmin, "sys_admin"),
            (Capability::SysNice, "sys_nice"),
            (Capability::SysResource, "sys_resource"),
        ] {
            assert_eq!(NAMES[capability as usize], name);
        }
    }
}
