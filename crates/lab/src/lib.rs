//! Repeated and paired measurement under built-in loads, and what is shown of it.
//!
//! [`measure`] runs commands in turns in one warm slot and says what came of it;
//! [`load`] keeps other CPUs busy meanwhile; [`labs`] are the source articles' experiments.
//! Everything but running is pure: plans of turns and summaries are made from values and tested with values.

#![forbid(unsafe_code)]

pub mod exchange;
pub mod labs;
pub mod load;
pub mod measure;

mod words;
