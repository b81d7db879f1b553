//! One suite that every kind of store passes, and tests of what only one kind has.

#![allow(clippy::unwrap_used)]

mod blobs;
mod jobs;
mod log;
mod place;
mod server;

use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Trial};

use place::Place;
use server::Server;

/// A test of the suite: its name, and what it does with an empty store.
type Test = (&'static str, fn(&Place));

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    let suite = [log::TESTS, jobs::TESTS, blobs::TESTS].concat();
    for &(name, test) in &suite {
        trials.push(Trial::test(format!("sqlite::{name}"), move || {
            test(&Place::folder());
            Ok(())
        }));
    }
    // Nothing that is on the disk matters after these tests.
    let server = if arguments.list { Err("only listing".to_owned()) } else { Server::start(&["fsync=off"]) };
    match server {
        Ok(server) => {
            let server = Arc::new(server);
            for &(name, test) in &suite {
                let server = Arc::clone(&server);
                trials.push(Trial::test(format!("postgres::{name}"), move || {
                    test(&Place::postgres(&server));
                    Ok(())
                }));
            }
        }
        Err(reason) => eprintln!("the tests of PostgreSQL are skipped: {reason}"),
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}
