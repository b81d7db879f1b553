//! Keeps idle CPUs out of deep sleep states, from which waking up takes time.

use model::Reading;
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// A request to the kernel that no CPU may take time to wake up; it ends when this is dropped, or with the process.
///
/// While any process holds the device open, no idle state is entered whose exit latency exceeds the number of
/// microseconds written to it (`Documentation/power/pm_qos_interface.rst`).
#[derive(Debug)]
pub struct WakefulCpus {
    _device: File,
}

impl WakefulCpus {
    /// The device that accepts such requests.
    pub const DEVICE: &str = "/dev/cpu_dma_latency";

    /// Makes the request through `device`, or returns why it cannot be made.
    pub fn hold(device: &Path) -> Reading<Self> {
        let held = File::options().write(true).open(device).and_then(|mut file| {
            file.write_all(&0_i32.to_ne_bytes())?;
            Ok(file)
        });
        match held {
            Ok(file) => Reading::Known(Self { _device: file }),
            Err(error) => Reading::unavailable(format!("cannot write to {}: {error}", device.display())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_microseconds_are_requested() {
        let folder = tempfile::tempdir().unwrap();
        let device = folder.path().join("cpu_dma_latency");
        assert!(WakefulCpus::hold(&device).known().is_none());
        std::fs::write(&device, "").unwrap();
        let held = WakefulCpus::hold(&device);
        assert_eq!(std::fs::read(&device).unwrap(), [0; 4]);
        assert!(held.known().is_some());
    }
}
