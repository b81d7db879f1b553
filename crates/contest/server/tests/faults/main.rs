//! Faults of the whole system: servers and judgehosts are killed, starved and cut off while a contest runs. After each, every
//! acknowledged submission has exactly one current judgement, no verdict that was seen has changed, and the board is the one that
//! the log gives.
//!
//! Servers and judgehosts are this program, started again. The judgehosts answer by a rule instead of running programs. The long
//! versions are ignored unless asked for: `cargo test -p tautochrone-server --test faults -- --include-ignored`.

#![allow(clippy::unwrap_used, reason = "a test fails where it is")]

mod check;
mod client;
mod clock;
mod database;
mod host;
mod kills;
mod leases;
mod resources;
mod world;

use libtest_mimic::{Arguments, Trial};
use std::process::ExitCode;

/// A fault: returns `Err` with the reason if this machine cannot have it.
type Fault = fn() -> Result<(), String>;

const FAULTS: &[(&str, Fault)] = &[
    ("killed_at_random_moments", || kills::killed(12)),
    ("a_judgehost_returns_after_its_lease_ended", leases::a_judgehost_returns),
    ("two_judgehosts_with_one_job", leases::two_judgehosts_with_one_job),
    ("jobs_of_others_block_no_other_job", leases::jobs_of_others_block_no_other_job),
    ("a_result_that_is_refused", leases::a_result_that_is_refused),
    ("a_package_that_disappears", resources::a_package_disappears),
    ("a_disk_that_is_full", resources::a_full_disk),
    ("killed_on_a_full_disk", resources::killed_on_a_full_disk),
    ("clients_that_do_not_read", resources::clients_that_do_not_read),
    ("the_clock_steps", resources::the_clock_steps),
    ("a_cut_and_slow_database", || database::cut_and_slow(15)),
    ("a_database_that_is_away", database::away),
];
const LONG_FAULTS: &[(&str, Fault)] = &[
    ("killed_at_50_random_moments", || kills::killed(50)),
    ("a_database_that_is_cut_100_times", || database::cut_and_slow(100)),
];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [world::SERVE, data, database, port] => return world::serve(data, database, port),
        [host::JUDGE, server, token, id] => return host::judge(server, token, id),
        _ => {}
    }
    let mut arguments = Arguments::from_args();
    // They wait for one another's processes: two at once are slower than one after the other.
    arguments.test_threads.get_or_insert(2);
    let trial = |&(name, fault): &(&'static str, Fault)| {
        Trial::test(name, move || {
            if let Err(reason) = fault() {
                test_support::skipped(name, &reason);
            }
            Ok(())
        })
    };
    let mut trials: Vec<Trial> = FAULTS.iter().map(trial).collect();
    trials.extend(LONG_FAULTS.iter().map(|fault| trial(fault).with_ignored_flag(true)));
    libtest_mimic::run(&arguments, trials).exit_code()
}
