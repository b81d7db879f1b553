//! `tauto doctor`: what works on this machine, what causes timing variance, and how to fix it.

use crate::counter;
use crate::judged::{self, FIX, StatusRow};
use crate::machines;
use crate::wire;
use model::Reading;
use sandbox::{Counter, Emulator, HardwareCounter, NoEmulator};
use settings::{Aim, Area, Check, MissingTool, Snapshot};
use std::process::ExitCode;
use system::{Machine, Status};
use terminal::{Report, print_result};

/// Examines this machine and prints the answers, with which tools of how many languages are missing; the exit code is 1 if any check fails, otherwise 0.
pub fn run(missing: &[MissingTool], count: usize, json: bool) -> anyhow::Result<ExitCode> {
    let machine = Machine::here();
    let doubts = match topology::read(&topology::Source::here()) {
        Ok(described) => Reading::Known(described.warnings),
        Err(error) => Reading::Unavailable(error.to_string()),
    };
    let snapshot = Snapshot::here();
    let settings = settings::examine(&snapshot, &Aim::choose(&snapshot, None)?);
    let mut checks = settings::doctor::examine(&machine, &settings, &doubts, missing, count);
    let after =
        checks.iter().rposition(|check| check.area == Area::Consistency).map_or(checks.len(), |at| at + 1);
    checks.splice(after..after, counters(counter::hardware(), Emulator::find()));
    let after = checks.iter().rposition(|check| check.area == Area::Isolation).map_or(0, |at| at + 1);
    checks.insert(after, machines::check(machines::find().as_ref().map_err(Clone::clone)));
    let document = wire::doctor_report(&machine, &settings, &checks);
    print_result(&document, json, |_| report_of(&machine.identity().to_string(), &checks))?;
    Ok(ExitCode::from(exit_code(&checks)))
}

/// Makes the checks of what counts instructions. Only a clock of instructions needs one of them.
fn counters(hardware: Result<HardwareCounter, String>, emulated: Result<Emulator, NoEmulator>) -> [Check; 2] {
    let check = |name, counter: Result<Counter, (String, Option<&str>)>, needed: &str| {
        let (status, what, why, fix) = match counter {
            Ok(counter) => (Status::Pass, counter.to_string(), needed.to_owned(), None),
            Err((why, fix)) => (Status::Unavailable, "not there".to_owned(), why, fix.map(str::to_owned)),
        };
        Check { name, area: Area::Consistency, status, what, why, fix }
    };
    let emulated = emulated.map(Counter::Emulated);
    [
        check(
            "processor's count",
            hardware.map(Counter::Hardware).map_err(|why| (why, None)),
            "--clock instructions counts by it at full speed",
        ),
        check(
            "emulator's count",
            emulated.map_err(|why| (why.to_string(), Some(counter::fix(&why)))),
            "--clock instructions counts by it on all machines",
        ),
    ]
}

fn exit_code(checks: &[Check]) -> u8 {
    u8::from(Status::worst(checks.iter().map(|check| check.status)) == Status::Fail)
}

fn report_of(identity: &str, checks: &[Check]) -> Report {
    let rows = checks.iter().map(|check| {
        let why = (check.status != Status::Pass).then_some(("why", check.why.as_str()));
        let fix = check.fix.as_deref().map(|fix| (FIX, fix));
        StatusRow {
            heading: check.area.to_string(),
            status: check.status,
            name: check.name,
            found: &check.what,
            notes: why.into_iter().chain(fix).collect(),
        }
    });
    let mut report = Report::default();
    report.line(identity);
    report.table("", judged::table("check", rows));
    report.lines(vec![
        judged::summary(checks.iter().map(|check| check.status)),
        vec!["'tauto machine check' checks every setting that causes timing variance".into()],
    ]);
    report
}

#[cfg(test)]
mod tests {
    use super::*;
    use terminal::Colour;

    fn checks() -> Vec<Check> {
        let check = |name, area, status, what: &str, fix: Option<&str>| Check {
            name,
            area,
            status,
            what: what.to_owned(),
            why: format!("{name} matters"),
            fix: fix.map(str::to_owned),
        };
        vec![
            check("kernel", Area::Isolation, Status::Pass, "6.1", None),
            check("mounts", Area::Isolation, Status::Fail, "not allowed", Some("sudo tauto doctor")),
            check("swap", Area::Consistency, Status::Caution, "1.00 GiB", Some("swapoff -a")),
            check("turbo", Area::Consistency, Status::Unavailable, "not known", None),
        ]
    }

    #[test]
    fn failed_checks_have_a_reason_and_a_command() {
        let expected = "\
fast

status       check   found
────────────────────────────────
Isolation
PASS         kernel  6.1
FAIL         mounts  not allowed
    why: mounts matters
    fix: sudo tauto doctor

Consistency of times
CAUTION      swap    1.00 GiB
    why: swap matters
    fix: swapoff -a
UNAVAILABLE  turbo   not known
    why: turbo matters

1 PASS, 1 CAUTION, 1 FAIL, 1 UNAVAILABLE
'tauto machine check' checks every setting that causes timing variance
";
        assert_eq!(report_of("fast", &checks()).text(Colour::Off), expected);
    }

    #[test]
    fn counters_of_instructions_are_listed() {
        let lines = |hardware: Result<&str, &str>, emulated| {
            let counter = |processor: &str| HardwareCounter {
                processor: processor.to_owned(),
                event: sandbox::ClockEvent::Instructions,
            };
            let checks = counters(hardware.map(counter).map_err(str::to_owned), emulated);
            checks.map(|check| format!("{:?} {}: {}; {:?}", check.status, check.what, check.why, check.fix))
        };
        let emulator = Emulator { path: "/usr/bin/qemu-x86_64".into(), version: "7.2.22".to_owned() };
        assert_eq!(
            lines(Err("counts 0 of 100,000,000"), Ok(emulator)),
            [
                "Unavailable not there: counts 0 of 100,000,000; None",
                "Pass qemu-x86_64 7.2.22: --clock instructions counts by it on all machines; None"
            ]
        );
        assert_eq!(
            lines(Ok("Fast CPU"), Err(NoEmulator::Missing("qemu-x86_64".to_owned()))),
            [
                "Pass instructions:u of Fast CPU: --clock instructions counts by it at full speed; None",
                "Unavailable not there: qemu-x86_64 is missing; it is in qemu-user; Some(\"apt install qemu-user\")"
            ]
        );
    }

    #[test]
    fn only_a_failure_gives_exit_code_1() {
        let mut checks = checks();
        assert_eq!(exit_code(&checks), 1);
        checks.retain(|check| check.status != Status::Fail);
        assert_eq!(exit_code(&checks), 0);
        assert_eq!(exit_code(&[]), 0);
    }
}
