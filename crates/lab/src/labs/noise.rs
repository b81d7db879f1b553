//! The article on system noise (Kalgin, "On the influence of regular system interrupts on the performance of parallel
//! programs"): which of its figures the model makes, and with what.

mod article;

pub use article::{Curve, FIGURES, Figure};
