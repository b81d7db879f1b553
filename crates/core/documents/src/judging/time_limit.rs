//! A time limit that was derived on a machine, as it is stored: the document of a file in the state folder.

use crate::judging::judge::Package;
use crate::machines::identity::MachineIdentity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A derived limit with all that it follows from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StoredLimit {
    /// The problem; its `hash` is that of the content for which the limit holds.
    pub package: Package,
    pub machine: MachineIdentity,
    pub limit_ns: u64,
    pub derivation: Derivation,
}

/// What a derived limit follows from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Derivation {
    /// Slowest of the submissions that must keep the limit.
    pub slowest_submission: String,
    /// CPU time of its slowest case.
    pub slowest_cpu_time_ns: u64,
    /// By how much that time is multiplied.
    pub accepted_to_limit: f64,
    /// The limit is a whole multiple of this.
    pub resolution_ns: u64,
    /// Whether to the next multiple `up`, or to the `nearest`.
    pub rounding: String,
    /// Submissions that could not be taken into account, a sentence each.
    pub left_out: Vec<String>,
    /// When it was derived, as in RFC 3339, in UTC.
    pub derived_at: String,
    /// The version of `tauto` that derived it.
    pub tauto_version: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_limit_is_read_back_and_nothing_else_is() {
        let stored = StoredLimit {
            package: Package {
                name: "sum".to_owned(),
                title: None,
                format: "legacy".to_owned(),
                path: "/problems/sum".to_owned(),
                hash: Some("ab".to_owned()),
                scores: None,
            },
            machine: MachineIdentity {
                cpu_model: Some("Some CPU".to_owned()),
                core_count: Some(2),
                memory_bytes: Some(1 << 30),
                kernel: None,
                hypervisor: None,
                hash: "0123456789abcdef".to_owned(),
                unavailable: Default::default(),
            },
            limit_ns: 2_000_000_000,
            derivation: Derivation {
                slowest_submission: "accepted/a.cpp".to_owned(),
                slowest_cpu_time_ns: 800_000_000,
                accepted_to_limit: 2.0,
                resolution_ns: 1_000_000_000,
                rounding: "up".to_owned(),
                left_out: Vec::new(),
                derived_at: "2026-01-02T03:04:05Z".to_owned(),
                tauto_version: "0.1.0".to_owned(),
            },
        };
        let text = crate::to_json(&stored);
        assert_eq!(crate::from_json::<StoredLimit>(&text).unwrap(), stored);
        assert!(crate::from_json::<StoredLimit>(&text.replace("limit_ns", "limit")).is_err());
        assert!(crate::from_json::<StoredLimit>(&text[..text.len() / 2]).is_err());
    }
}
