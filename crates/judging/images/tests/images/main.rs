//! Images from layouts and registries.

#![allow(clippy::unwrap_used)]

mod layouts;
mod registry;
