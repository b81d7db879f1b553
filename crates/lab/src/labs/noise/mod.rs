//! The article on system noise (Kalgin, "On the influence of regular system interrupts on the performance of parallel
//! programs"): its figures' parameters, and its model as it writes it.

mod article;
mod model;

pub use article::{Curve, FIGURES, Figure, Shape};
pub use model::{ITERATIONS, Mean, mean_iteration};
