//! A simulator of fleets and contests.
//!
//! Pure: time is virtual, files come in as readers, and the same trace, policy and seed give the same bytes.
//! What is decided is decided by `placement`, `judging_steps` and `contest_rules`, as in production.
//!
//! # Files
//!
//! Fleets in virtual time (`docs/simulator.md`). `trace.rs` and `trace/` read, write, import and make up traces
//! (`docs/sim-trace.md`). `run.rs` is a run: `run/steps.rs` decides what happens next, `state.rs` what follows,
//! `task.rs` is a job's progress, `places.rs` shares a host's CPUs, `failures.rs` lets hosts fail, `totals.rs` adds up
//! the fleet's figures. `source.rs` draws jobs of a trace again, `compare.rs` compares policies on draws, `vectors.rs`
//! writes decisions down for others. `contest_day.rs` is a contest (`docs/sim-contest.md`) that `judging/steps`,
//! `ruling` and the pools of `contest/rules` judge; `right_size.rs` finds how many CPUs a service needs
//! (`docs/right-size.md`).
//!
//! # Invariants
//!
//! - Nothing that production decides is decided here a second time: placement is `placement`'s, judging
//!   `judging/steps`', pools are `contest/rules`'.
//! - Memory grows with what runs at once, not with the trace.

#![forbid(unsafe_code)]

pub mod compare;
pub mod contest_day;
pub mod right_size;
pub mod run;
pub mod source;
pub mod trace;
pub mod vectors;
pub mod vocabulary;
