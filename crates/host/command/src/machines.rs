//! Virtual machines: whether they work here, and what to do where they do not.

use microvm::{Accelerator, Machines};
use settings::{Area, Check};
use std::path::PathBuf;
use system::Status;

/// Names a folder with a kernel for virtual machines, as a package that was unpacked there has it.
const GUEST_FOLDER: &str = "TAUTO_GUEST";
/// What to do where they lack something.
pub const FIX: &str = "apt-get install qemu-system-x86; apt-get download a linux-image-*-cloud-amd64, and dpkg-deb -x it into \
/var/lib/tauto/guest (docs/microvm.md)";

/// Finds what virtual machines need on this machine.
///
/// # Errors
/// With what is missing.
pub fn find() -> Result<Machines, String> {
    Machines::find(std::env::var_os(GUEST_FOLDER).map(PathBuf::from).as_deref())
}

/// Makes the check of `tauto doctor`.
pub fn check(found: Result<&Machines, String>) -> Check {
    let (status, what, why, fix) = match found {
        Ok(machines) => {
            let what = format!("{}, kernel {}", machines.accelerator(), machines.kernel().version);
            match machines.accelerator() {
                Accelerator::Kvm => (Status::Pass, what, "--isolation microvm works".to_owned(), None),
                Accelerator::Emulated { why } => {
                    let why = format!("{why}: they are emulated, and times in them say nothing");
                    (Status::Unavailable, what, why, None)
                }
            }
        }
        Err(why) => (Status::Unavailable, "not there".to_owned(), why, Some(FIX.to_owned())),
    };
    Check { name: "virtual machine", area: Area::Isolation, status, what, why, fix }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_said_with_how_to_get_it() {
        let check = check(Err("there is no kernel".to_owned()));
        assert_eq!((check.status, check.what.as_str()), (Status::Unavailable, "not there"));
        assert_eq!((check.why.as_str(), check.fix.as_deref()), ("there is no kernel", Some(FIX)));
    }
}
