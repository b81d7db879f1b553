//! The program with a known count.

static PROGRAM: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/canary"));

/// Returns a program that executes the same instructions wherever instructions are counted alike; empty if this program was built
/// without a C compiler.
pub fn canary() -> &'static [u8] {
    PROGRAM
}
