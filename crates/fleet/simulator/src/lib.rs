//! A simulator of fleets and contests.
//!
//! Pure: time is virtual, files come in as readers, and the same trace, policy and seed give the same bytes.
//! What is decided is decided by `placement`, `judging_steps` and `contest_rules`, as in production.

#![forbid(unsafe_code)]

pub mod compare;
pub mod contest_day;
pub mod right_size;
pub mod run;
pub mod source;
pub mod trace;
pub mod vectors;
