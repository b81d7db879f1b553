//! Documents of machines: what they are, how they are set, and who has which CPUs.

mod allocation;
pub(crate) mod audit;
mod doctor;
pub(crate) mod identity;
mod image;
mod settings;
mod topology;

pub use allocation::*;
pub use audit::*;
pub use doctor::*;
pub use identity::MachineIdentity;
pub use image::*;
pub use settings::*;
pub use topology::*;
