//! The HTTP API of contests.

#![forbid(unsafe_code)]
