//! One suite that every kind of store passes, and tests of what only one kind has.

mod blobs;
mod jobs;
mod log;
mod place;

use libtest_mimic::{Arguments, Trial};
use std::process::ExitCode;

use place::{Kind, Place};

/// A test of the suite: its name, and what it does with an empty store.
type Test = (&'static str, fn(&Place));

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for kind in [Kind::Sqlite] {
        for (name, test) in [log::TESTS, jobs::TESTS, blobs::TESTS].concat() {
            trials.push(Trial::test(format!("{kind:?}::{name}").to_lowercase(), move || {
                test(&Place::new(kind));
                Ok(())
            }));
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}
