//! What is done to many numbers at once. The code is written once in plain Rust and compiled for AVX-512, AVX2 and for what
//! every processor has; which of them runs is decided at run time. To call it is the only `unsafe` of this crate.

mod fractions;
mod lanes;

pub(crate) use fractions::{Fractions, GROUP, PLACES, RUN};
pub(crate) use lanes::Lanes;
