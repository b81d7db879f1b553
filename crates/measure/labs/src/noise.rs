//! The article on system noise (Kalgin, "On the influence of regular system interrupts on the performance of parallel
//! programs"): its figures that the model reproduces, and their parameters.

mod article;

pub use article::{Curve, FIGURES, Figure};
