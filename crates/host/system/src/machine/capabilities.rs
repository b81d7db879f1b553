//! The capabilities of this process, by name.

use crate::{Roots, files};
use model::Reading;
use std::fmt;

pub use rustix::thread::CapabilitySet as Capability;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapabilitySet(Capability);

impl CapabilitySet {
    pub fn read(roots: &Roots) -> Reading<Self> {
        files::and_then(files::text(&roots.proc.join("self/status")), |status| {
            files::field(&status, "CapEff")
                .and_then(|mask| u64::from_str_radix(mask, 16).ok())
                .map(|bits| Self(Capability::from_bits_retain(bits)))
                .ok_or_else(|| "/proc/self/status has no CapEff line with a hexadecimal mask".to_owned())
        })
    }

    pub fn has(self, capability: Capability) -> bool {
        self.0.contains(capability)
    }

    /// Lists the names of the included ones; an unknown number is `cap_NN`.
    pub fn names(self) -> Vec<String> {
        let mut known = self.0.iter_names();
        let mut names: Vec<String> = known.by_ref().map(|(name, _)| name.to_lowercase()).collect();
        let unknown = known.remaining().bits();
        names.extend((0..u64::BITS).filter(|bit| unknown & (1 << bit) != 0).map(|bit| format!("cap_{bit}")));
        names
    }

    pub fn missing_names(self) -> Vec<String> {
        let missing = Capability::all().difference(self.0);
        missing.iter_names().map(|(name, _)| name.to_lowercase()).collect()
    }
}

/// Prints the shorter of the two lists.
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
    use test_tree::Tree;

    fn check(mask: &str, printed: &str) {
        let tree = Tree::new(&[("proc/self/status", &format!("Name:\tx\nCapEff:\t{mask}\n"))]);
        let text = CapabilitySet::read(&Roots::under(tree.path())).to_string();
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
}
