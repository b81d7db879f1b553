//! What operators set.

use std::fs::File;
use std::net::TcpListener;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub struct Operations {
    /// A listener for metrics and health alone.
    pub listener: Option<Arc<TcpListener>>,
    /// Whether everybody may read the metrics at the address of the API.
    pub are_metrics_public: bool,
    /// `/proc/self/statm`, opened while this process could.
    pub memory: Option<Arc<File>>,
    /// With less space on the disk of the data the server is not ready.
    pub disk_free_min_bytes: u64,
}

impl Default for Operations {
    fn default() -> Self {
        Self { listener: None, are_metrics_public: false, memory: None, disk_free_min_bytes: 512 << 20 }
    }
}
