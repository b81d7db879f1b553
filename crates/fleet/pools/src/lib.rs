//! Pools of judgehosts on Kubernetes: their resources, and what to do from what is.
//!
//! # Files
//!
//! `resources.rs` has the custom resources that a user writes and reads. `seen.rs` is what is: resources, machines, pods,
//! and what the contest server knows. `plan.rs` is what to do (`plan/action.rs`): `plan/node.rs` decides for one machine,
//! `plan/calibration.rs` whether it may judge, `plan/machine.rs` which ones a pool can take, `plan/size.rs` how many it needs;
//! `plan/condition.rs` writes conditions, `plan/memory.rs` has durations. `pod.rs` is the pod of a judgehost, `names.rs` what is
//! made from names.
//!
//! # Invariants
//!
//! - [`plan`] needs nothing of the past that it cannot do without: an operator that was killed at any line makes the same
//!   decisions again, at worst some minutes later. What it remembers are durations ([`Memory`]).
//! - All durations are by the operator's own clock: clocks of machines may differ by any amount.
//! - A machine is given no submissions before its calibration has passed, and is removed only after it has ended its work,
//!   or after the pool's time for that.

#![forbid(unsafe_code)]

mod names;
mod plan;
mod pod;
mod resources;
mod seen;

pub use plan::{About, Action, Memory, Tone, plan};
pub use pod::{Settings, bytes, judgehost_pod, pod_hash, template_hash};
pub use resources::*;
pub use seen::*;
