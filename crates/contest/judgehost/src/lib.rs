//! Takes jobs from a server, judges them with the engine, and reports each step.

#![forbid(unsafe_code)]
