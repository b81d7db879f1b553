//! The options. The documentation of an option is its help text; a type has none, since it would replace its command's.

mod allocate;
mod audit;
mod clock;
mod lease;
mod machine;

pub use allocate::{AllocateArguments, AllocateClass, AllocateSiblings};
pub use audit::AuditArguments;
pub use clock::{ClockName, CounterName};
pub use lease::{LeaseArguments, NoiseLeaseArguments, WaitArguments};
pub use machine::{CheckArguments, MachineCommand, RestoreArguments, TopologyArguments, TuneArguments};
