//! Runs one program under limits, isolated and measured.
//!
//! A [`RunPlan`] specifies a run; a [`Slot`] executes it. The slot's launcher (one small process, one thread) builds a
//! container once and clones every run into fresh namespaces; the supervisor watches limits and output.
//!
//! # Files
//!
//! | file | side | what |
//! |---|---|---|
//! | `plan.rs` | | `RunPlan`: what a run will do, as data |
//! | `root.rs` | | the contents of the root file system, as data |
//! | `slot_number.rs` | supervisor | a slot's number, which no other process has, and its users |
//! | `slot.rs` | supervisor | a slot for many runs: opens it, runs a plan, makes what others have removed again |
//! | `building.rs` | supervisor | makes a slot's place, again where it is lost |
//! | `single.rs` | supervisor, init | a place for one run, without a launcher |
//! | `process.rs` | supervisor | starts helpers: the launcher, a guard |
//! | `handover.rs`, `request.rs` | supervisor | what is sent to the builder of the container; a plan as a message |
//! | `supervise.rs` | supervisor | limits, output, end |
//! | `watched.rs` | supervisor | what limits on time are checked against |
//! | `waiting.rs` | supervisor | whether a run does nothing until it gets input |
//! | `watchdog.rs` | supervisor, a thread in the real-time class | ends a run whose supervisor is late |
//! | `standard.rs` | supervisor | whether the caller left standard output open, asked before `main` |
//! | `ending.rs` | supervisor | ends a run, escalating step by step |
//! | `streams.rs` | supervisor | standard streams: what is kept and counted |
//! | `forward.rs` | supervisor | passes output on without waiting for its reader |
//! | `counted_by.rs` | | what counts a run's instructions: the processor or an emulator |
//! | `emulated.rs` | supervisor, main | a program under an emulator, which counts its instructions |
//! | `descriptor.rs` | supervisor | which descriptors a program may have |
//! | `clocks.rs`, `numbers.rs` | main | what would distinguish a run from earlier ones (`docs/channels.md`): clocks, the kernel's counters |
//! | `memory_input.rs` | supervisor | a program's input in memory |
//! | `workspace.rs` | supervisor | folders in memory, private mounts |
//! | `disk_root.rs` | supervisor | roots that are one file each |
//! | `protocol.rs` | both | messages and descriptors between them |
//! | `container.rs` | launcher, init | builds the container from the inside |
//! | `launcher.rs` | launcher | starts runs in it |
//! | `guard.rs` | guard, supervisor | probes a run's core during the run, and holds the run (`docs/ruling.md`) while the core is contended |
//! | `pace.rs` | launcher, guard | the loop that detects core contention (`docs/ruling.md`) |
//! | `child.rs` | init, main | from clone to exec, and reaping |
//! | `seccomp/` | main | lists of the calls that are allowed, and the compiler from lists to filters |
//! | `user_namespace.rs` | launcher, init | the user namespace of a role |
//! | `in_flight.rs` | launcher, init | keeps runs from sending descriptors |
//! | `affinity.rs` | all | which CPUs a process may use |
//! | `errand.rs`, `reference.rs`, `warmth.rs` | launcher | short tasks on a run's CPUs between runs: probes, fixed work, warm memory |
//! | `own_limits.rs` | supervisor | the caller's own resource limits, which its runs have too |
//! | `sys.rs` | all | system calls that no library wraps as needed |
//!
//! # Invariants
//!
//! - The launcher decides nothing, and a guard decides only when to hold and release a run, within its limits. The
//!   supervisor decides on limits and ends.
//! - A plan is complete before anything is done. What is not in it does not reach the run; the run inherits no
//!   variable, descriptor or path of the caller.
//! - The supervisor's mounts are private. `enter_private_mounts` is called before any thread and any workspace exists;
//!   then all mounts disappear with the process, however it ends.

mod affinity;
mod building;
mod child;
mod clocks;
mod container;
mod counted_by;
mod descriptor;
mod disk_root;
mod emulated;
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

pub use cgroup::{CLOCK_CPUS_MAX, Claim, ClockEvent, Counting, OwnCpus};
pub use counted_by::{Counter, HardwareCounter};
pub use counter::{Block, Cache, Caches, Emulator, Mapping, Misses, NoEmulator, Profile, Profiler, canary};
pub use descriptor::{checked_input, is_named_pipe};
pub use disk_root::DiskRoot;
pub use error::SandboxError;
pub use forward::Forward;
pub use guard::Hold;
pub use launcher::become_launcher_if_asked;
pub use memory_input::{MemoryInput, input_in_memory};
pub use numbers::reseed;
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
