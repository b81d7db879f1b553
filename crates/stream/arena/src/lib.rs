//! Live stream contests over TCP. [`host`] serves one: it sends digits, receives answers, keeps the record and shows the
//! board. [`contestant`] takes part in one with any solver of the ladder and any way of reading and writing.

// `tcp_info` and `contestant::uring` ask the kernel for what no safe library has.
#![deny(unsafe_code)]

pub mod contestant;
pub mod host;
mod tcp_info;
