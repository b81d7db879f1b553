//! YAML, JSON and tables: none panics.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = located::yaml(text);
    let _ = located::json(text);
    let _ = located::table(text);
});
