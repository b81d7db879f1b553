//! Repeated and paired measurements under built-in loads, and their presentation.
//!
//! [`measure`] runs commands in turns in one warm slot and summarises the results; [`load`] keeps other CPUs busy
//! meanwhile; [`labs`] are the source articles' experiments. Everything except running is pure: plans of turns and
//! summaries are computed from values and tested with values.

#![forbid(unsafe_code)]

pub mod exchange;
pub mod labs;
pub mod load;
pub mod measure;

mod words;
