//! One suite that every kind of store passes, and tests of what only one kind has.

#![allow(clippy::unwrap_used)]

mod blobs;
mod connection;
mod crash;
mod damage;
mod durable;
mod follow;
mod full;
mod jobs;
mod log;
mod model;
mod place;

use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Trial};

use place::StoreLocation;
use test_database::Server;

/// A test of the suite: its name, and what it does with an empty store.
type Test = (&'static str, fn(&StoreLocation));

fn main() -> ExitCode {
    // Some tests start this program again as the writer that they watch or kill.
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [crash::CHILD, address, seed] => {
            crash::write_until_killed(address, seed);
            return ExitCode::SUCCESS;
        }
        [durable::CHILD, folder] => {
            durable::write_a_few(folder);
            return ExitCode::SUCCESS;
        }
        _ => {}
    }
    let arguments = Arguments::from_args();
    let mut trials = vec![
        one("sqlite::acknowledged_is_synced", durable::acknowledged_is_synced),
        one("sqlite::only_the_owner_may_read", only_the_owner_may_read),
        one("sqlite::a_full_disk_is_reported_and_survived", full::a_full_disk_is_reported_and_survived),
        one("sqlite::a_store_opens_on_a_full_disk", full::a_store_opens_on_a_full_disk),
    ];
    let suite = [log::TESTS, jobs::TESTS, blobs::TESTS, model::TESTS, damage::TESTS, crash::TESTS].concat();
    for &(name, test) in &suite {
        trials.push(Trial::test(format!("sqlite::{name}"), move || {
            test(&StoreLocation::folder());
            Ok(())
        }));
    }
    // Nothing that is on the disk matters after these tests.
    let server = if arguments.list { Err("only listing".to_owned()) } else { Server::start(&["fsync=off"]) };
    match server {
        Ok(server) => {
            let server = Arc::new(server);
            for (name, test) in connection::TESTS.into_iter().chain(follow::TESTS) {
                let server = Arc::clone(&server);
                trials.push(Trial::test(format!("postgres::{name}"), move || {
                    test(&server);
                    Ok(())
                }));
            }
            for &(name, test) in &suite {
                let server = Arc::clone(&server);
                trials.push(Trial::test(format!("postgres::{name}"), move || {
                    test(&StoreLocation::postgres(&server));
                    Ok(())
                }));
            }
        }
        Err(_) if arguments.list => {}
        Err(reason) => trials.push(Trial::test("postgres", move || {
            test_support::skipped("postgres", &reason);
            Ok(())
        })),
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// A test of one kind of store, with the reason for which it is skipped.
fn one(name: &'static str, test: fn() -> Result<(), String>) -> Trial {
    Trial::test(name, move || {
        if let Err(reason) = test() {
            test_support::skipped(name, &reason);
        }
        Ok(())
    })
}

fn only_the_owner_may_read() -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt;
    let place = StoreLocation::folder();
    let mut opened = place.open();
    place::append(&mut *opened.store, &["secret"]);
    opened.blobs.put(&mut &b"secret"[..], 10, None).unwrap();
    let store::StoreAddress::Folder(folder) = &place.address else { return Ok(()) };
    for name in ["", "lock", "contest.sqlite", "contest.sqlite-wal", "blobs", "incoming"] {
        let mode = std::fs::metadata(folder.join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{name} has the mode {mode:o}");
    }
    Ok(())
}
