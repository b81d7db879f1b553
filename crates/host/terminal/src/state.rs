//! The folder for data that outlives this program.

use std::path::PathBuf;

/// Finds the folder: the user's by the XDG base directory specification, or the system's for root.
pub fn folder() -> Option<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let user = absolute("XDG_STATE_HOME").map(|state| state.join("tautochrone"));
    let own = || match rustix::process::geteuid().is_root() {
        true => Some(PathBuf::from("/var/lib/tauto")),
        false => Some(absolute("HOME")?.join(".local/state/tautochrone")),
    };
    user.or_else(own)
}
