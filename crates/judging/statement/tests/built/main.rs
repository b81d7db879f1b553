//! Statements built in the sandbox, of ordinary and of hostile packages.
//!
//! It has a `main` of its own, since the sandbox starts this program again as its launcher, and mounts are made private
//! before the first thread.

#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used)]

mod hostile;
mod ordinary;
mod plain;
mod support;
mod thirty;

use libtest_mimic::{Arguments, Trial};
use std::process::ExitCode;

fn main() -> ExitCode {
    sandbox::become_launcher_if_asked();
    let mut arguments = Arguments::from_args();
    // Each has a slot of the machine.
    arguments.test_threads.get_or_insert(2);
    let mut trials = plain::trials();
    match support::why_not() {
        Some(why) => trials.push(Trial::test("built", move || {
            test_support::skipped("built", &why);
            Ok(())
        })),
        None => {
            trials.extend(ordinary::trials());
            trials.extend(hostile::trials());
            trials.extend(thirty::trials());
            trials.extend(plain::trials_in_the_sandbox());
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

pub(crate) fn trial(name: &'static str, test: fn()) -> Trial {
    Trial::test(name, move || {
        test();
        Ok(())
    })
}
