//! Conditions of resources, as Kubernetes has them.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use k8s_openapi::jiff::Timestamp;

/// Returns a condition; its time is of the last change of its status.
pub fn condition(
    before: &[Condition],
    kind: &str,
    is_true: Option<bool>,
    reason: &str,
    message: String,
    generation: Option<i64>,
    now: Timestamp,
) -> Condition {
    let status = match is_true {
        Some(true) => "True",
        Some(false) => "False",
        None => "Unknown",
    };
    let same = before.iter().find(|one| one.type_ == kind && one.status == status);
    let now = Time(now);
    Condition {
        type_: kind.to_owned(),
        status: status.to_owned(),
        reason: reason.to_owned(),
        message,
        observed_generation: generation,
        last_transition_time: same.map_or(now, |one| one.last_transition_time.clone()),
    }
}
