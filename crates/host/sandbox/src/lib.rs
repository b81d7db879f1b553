//! Runs one program under limits, isolated and measured.
//!
//! A [`RunPlan`] specifies a run; a [`Slot`] executes it. The slot's launcher (one small process, one thread) builds a
//! container once and clones every run into fresh namespaces; the supervisor watches limits and output.

mod affinity;
mod building;
mod child;
mod clocks;
mod container;
mod descriptor;
mod ending;
mod errand;
mod error;
mod forward;
mod guard;
mod handover;
mod in_flight;
mod launcher;
mod memory_input;
mod numbers;
mod own_limits;
mod pace;
mod pause;
mod plan;
mod process;
mod protocol;
mod reference;
mod request;
mod root;
mod seccomp;
mod single;
mod slot;
mod slot_number;
mod standard;
mod streams;
mod supervise;
mod sys;
mod user_namespace;
mod waiting;
mod warmth;
mod watchdog;
mod watched;
mod workspace;

pub use cgroup::{Claim, Counting, OwnCpus};
pub use descriptor::is_named_pipe;
pub use error::SandboxError;
pub use guard::Hold;
pub use launcher::become_launcher_if_asked;
pub use memory_input::{MemoryInput, input_in_memory};
pub use pause::{Pause, Paused};
pub use plan::{BOX, FileCopy, Mount, PROGRAM, Role, RunPlan, SeccompClass, WORK, standard_environment};
pub use reference::ReferenceTime;
pub use root::{COMMON_FILES, RootView};
pub use seccomp::time_filter;
pub use single::{InitProcess, SingleRun};
pub use slot::{Slot, SlotCpus, SlotOptions};
pub use standard::was_closed_at_start;
pub use streams::{Input, Output, RunIo, open_to_all};
pub use supervise::Ran;
pub use waiting::PipeId;
pub use workspace::{Workspace, enter_private_mounts};
