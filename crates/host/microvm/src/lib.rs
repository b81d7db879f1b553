//! Runs a plan in a virtual machine of its own.
//!
//! The machine is QEMU, as an ordinary program in a slot's container: its limits, its CPUs and its end are those of every run. In
//! the guest this very program is the first process; it runs the plan in the sandbox, on the same terms, and sends back how it
//! ended. Each machine is forked from the saved state of a template, gets one plan, and ends with it.
//!
//! # Files
//!
//! | file | side | what |
//! |---|---|---|
//! | `machines.rs` | host | runs a plan in a machine; keeps templates and disks |
//! | `request.rs` | host | what the guest is asked, and how large its machine is |
//! | `believed.rs` | host | the result, of what both sides saw |
//! | `template.rs` | host | starts a machine once and saves its state |
//! | `relay.rs` | host | a machine's streams: request, input, output, answer |
//! | `qemu.rs` | host | the hypervisor and its command line |
//! | `kernel.rs`, `initramfs.rs`, `disk.rs` | host | what the guest starts with: kernel, first files, root |
//! | `wire.rs`, `trees.rs` | both | messages, and folders as streams |
//! | `guest.rs` | guest | the first process: mounts, waits, runs the plan |
//!
//! # Invariants
//!
//! - A guest gets the program, its input and the root, and nothing that decides: no answers, no other case.
//! - What a guest sends is bounded and never trusted with a path, a size or a time that the host can check.
//! - A machine runs one plan. It shares no memory with another, and has no network device.

#![forbid(unsafe_code)]

mod believed;
mod guest;
mod initramfs;
mod kernel;
mod machines;
mod qemu;
mod relay;
mod request;
mod template;
mod trees;
mod wire;

pub use guest::become_guest_if_asked;
pub use kernel::GuestKernel;
pub use machines::{Machines, Prepared, Started};
pub use qemu::{Accelerator, Hypervisor};
