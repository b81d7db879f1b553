//! Frames without the kernel's network stack, by AF_XDP: what it would need, tried.

use rustix::net::{AddressFamily, SocketType, socket};

/// Tries what it needs, and returns why it is not there.
pub fn unavailable() -> String {
    match socket(AddressFamily::XDP, SocketType::RAW, None) {
        Err(error) => format!("the kernel has no socket for it here (socket AF_XDP: {error})"),
        Ok(_) => "a socket for it opens here, but the feed and the answers are TCP, and frames that bypass the kernel \
                  bypass its TCP, too; this program has none of its own"
            .to_owned(),
    }
}
