//! Images from layouts and registries.

mod layouts;
mod registry;
