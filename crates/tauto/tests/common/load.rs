//! Work that disturbs others.

use std::process::{Child, Command};

/// Programs that keep all CPUs busy, until this is dropped.
pub struct Load(Vec<Child>);

impl Load {
    pub fn begin() -> Self {
        let busy = || Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        Self(test_support::allowed_cpus().iter().map(|_| busy()).collect())
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
