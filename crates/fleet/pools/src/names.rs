//! Names and references that are made from others.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::Resource;
use sha2::{Digest, Sha256};

/// The longest name of a judgehost on the contest server.
const HOST_BYTES_MAX: usize = 36;

/// Returns a machine's name as a judgehost's: itself, or what is left of it with a hash.
pub fn host_name(machine: &str) -> String {
    if machine.len() <= HOST_BYTES_MAX {
        return machine.to_owned();
    }
    let hash = short_hash(machine.as_bytes());
    let kept: String = machine.chars().take(HOST_BYTES_MAX - hash.len() - 1).collect();
    format!("{kept}-{hash}")
}

/// Returns eight digits that differ for different contents.
pub fn short_hash(content: &[u8]) -> String {
    Sha256::digest(content).iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}

/// Returns a reference by which a resource is deleted with its owner.
pub fn owner<K: Resource<DynamicType = ()>>(of: &K) -> OwnerReference {
    OwnerReference {
        controller: Some(true),
        block_owner_deletion: Some(true),
        ..of.owner_ref(&()).unwrap_or_default()
    }
}
