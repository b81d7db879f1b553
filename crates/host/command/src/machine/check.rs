//! `tauto machine check`: judges every setting that causes timing variance.

use super::advice;
use crate::arguments::CheckArguments;
use crate::judged::{self, FIX, StatusRow};
use crate::wire;
use model::Reading;
use settings::{Advice, Aim, Setting, Snapshot, Timing, examine};
use std::process::ExitCode;
use system::{KernelAnswers, Machine, Roots, Status};
use terminal::failure::input_with_hint;
use terminal::{Cell, Report, Table, print_result};

/// Judges the settings and prints them; the exit code is 1 if any fails, otherwise 0.
pub fn run(arguments: &CheckArguments, json: bool) -> anyhow::Result<ExitCode> {
    let (machine, snapshot) = match &arguments.from {
        None => (Machine::here(), Snapshot::here()),
        Some(tree) => {
            if !tree.join("proc").is_dir() {
                return Err(input_with_hint(
                    format!("{} has no folder proc", tree.display()),
                    "--from takes a folder that holds a copy of a machine's /proc and /sys",
                ));
            }
            let (roots, why) = (Roots::under(tree), "not measured: this is a copy of a machine");
            let machine = Machine::read(&roots, &KernelAnswers::unasked(why));
            (machine, Snapshot::read(&roots, Timing::unmeasured(why)))
        }
    };
    let aim = Aim::choose(&snapshot, arguments.housekeeping.as_ref())?;
    let settings = examine(&snapshot, &aim);
    let advice = Advice::of(&settings, &aim, &snapshot);
    print_result(&document(&machine, &aim, &settings, &advice), json, |_| {
        let mut report = Report::default();
        report.lines(vec![vec![machine.identity().to_string().into()], vec![purpose(&aim).into()]]);
        report.table("", table(&settings));
        advice::add_to(&mut report, &advice);
        report.lines(vec![summary(&settings)]);
        report
    })?;
    Ok(ExitCode::from(u8::from(worst(&settings) == Status::Fail)))
}

pub fn here() -> anyhow::Result<documents::MachineCheckReport> {
    let (machine, snapshot) = (Machine::here(), Snapshot::here());
    let aim = Aim::choose(&snapshot, None)?;
    let settings = examine(&snapshot, &aim);
    Ok(document(&machine, &aim, &settings, &Advice::of(&settings, &aim, &snapshot)))
}

fn purpose(aim: &Reading<Aim>) -> String {
    match aim {
        Reading::Known(aim) => {
            format!(
                "judged for timed runs on {}, and all else on {}",
                aim.timed.named(),
                aim.housekeeping.named()
            )
        }
        Reading::Unavailable(why) => format!("no CPU can be set apart for timed runs: {why}"),
    }
}

fn worst(settings: &[Setting]) -> Status {
    Status::worst(settings.iter().map(|setting| setting.status))
}

fn table(settings: &[Setting]) -> Table {
    let rows = settings.iter().map(|setting| {
        let notes = match setting.status {
            Status::Pass => Vec::new(),
            Status::Unavailable => vec![("why", setting.found.as_str())],
            Status::Caution | Status::Fail => {
                let mut notes = vec![("why", setting.effect)];
                notes.extend(setting.here.as_deref().map(|here| ("here", here)));
                if let Some(fix) = &setting.fix {
                    notes.extend([(FIX, fix.as_str()), ("cost", setting.cost)]);
                }
                notes
            }
        };
        let is_known = setting.status != Status::Unavailable;
        StatusRow {
            heading: setting.group.to_string(),
            status: setting.status,
            name: setting.id,
            found: if is_known { &setting.found } else { "not known" },
            notes,
        }
    });
    judged::table("setting", rows)
}

fn summary(settings: &[Setting]) -> Vec<Cell> {
    let mut line = judged::summary(settings.iter().map(|setting| setting.status));
    let now = settings.iter().filter(|setting| setting.fixed_by() == Some("now")).count();
    if now > 0 {
        line.push(format!("; 'tauto machine tune' can fix {now} of them now").into());
    }
    line
}

fn document(
    machine: &Machine,
    aim: &Reading<Aim>,
    settings: &[Setting],
    advice: &Advice,
) -> documents::MachineCheckReport {
    let (boot, firmware) = advice::wire(advice);
    let mut unavailable = documents::Unavailable::new();
    if let Reading::Unavailable(why) = aim {
        for field in ["timed_cpus", "housekeeping_cpus"] {
            unavailable.insert(field.to_owned(), why.clone());
        }
    }
    documents::MachineCheckReport {
        status: worst(settings).id().to_owned(),
        machine: wire::machine_identity(&machine.identity()),
        timed_cpus: aim.known().map(|aim| aim.timed.to_string()),
        housekeeping_cpus: aim.known().map(|aim| aim.housekeeping.to_string()),
        settings: settings.iter().map(entry).collect(),
        boot,
        firmware,
        unavailable,
    }
}

fn entry(setting: &Setting) -> documents::SettingEntry {
    let files = setting.raw.iter().map(|raw| {
        let (value, unavailable) = match raw.value.clone() {
            Reading::Known(value) => (Some(value), None),
            Reading::Unavailable(why) => (None, Some(why)),
        };
        documents::SettingFile { path: raw.path.clone(), value, unavailable }
    });
    documents::SettingEntry {
        id: setting.id.to_owned(),
        name: setting.name.to_owned(),
        group: setting.group.id().to_owned(),
        status: setting.status.id().to_owned(),
        found: setting.found.clone(),
        effect: setting.effect.to_owned(),
        source: setting.source.to_owned(),
        here: setting.here.clone(),
        cost: setting.cost.to_owned(),
        fix: setting.fix.clone(),
        fixed_by: setting.fixed_by().map(str::to_owned),
        files: files.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use settings::{Group, Remedy};
    use terminal::Colour;

    fn setting(id: &'static str, group: Group, status: Status, found: &str) -> Setting {
        let fixable = matches!(status, Status::Caution | Status::Fail);
        Setting {
            id,
            name: id,
            group,
            status,
            found: found.to_owned(),
            raw: Vec::new(),
            effect: "it disturbs",
            source: "a page",
            here: (status == Status::Fail).then(|| "7 times since boot".to_owned()),
            cost: "power",
            fix: fixable.then(|| "echo 0 > /sys/x".to_owned()),
            remedy: if fixable { Remedy::Write(Vec::new()) } else { Remedy::Nothing },
        }
    }

    fn settings() -> Vec<Setting> {
        vec![
            setting("turbo", Group::Cpu, Status::Fail, "on"),
            setting("smt", Group::Cpu, Status::Pass, "off"),
            setting("swap", Group::Memory, Status::Caution, "1.00 GiB"),
            setting("steal", Group::Hypervisor, Status::Unavailable, "there is no /proc/stat"),
        ]
    }

    #[test]
    fn failed_settings_have_reason_command_and_cost() {
        let rule = "─".repeat(11 + 2 + 7 + 2 + 9);
        let expected = format!(
            "\
status       setting  found
{rule}
CPU
FAIL         turbo    on
    why: it disturbs
    here: 7 times since boot
    fix: echo 0 > /sys/x
    cost: power
PASS         smt      off

Memory
CAUTION      swap     1.00 GiB
    why: it disturbs
    fix: echo 0 > /sys/x
    cost: power

Hypervisor
UNAVAILABLE  steal    not known
    why: there is no /proc/stat

1 PASS, 1 CAUTION, 1 FAIL, 1 UNAVAILABLE; 'tauto machine tune' can fix 2 of them now
"
        );
        let mut report = Report::default();
        report.table("", table(&settings()));
        report.lines(vec![summary(&settings())]);
        assert_eq!(report.text(Colour::Off), expected);
    }

    #[test]
    fn this_machine_makes_a_document_that_can_be_read() {
        let (machine, snapshot) = (Machine::here(), Snapshot::here());
        let aim = Aim::choose(&snapshot, None).unwrap();
        let settings = examine(&snapshot, &aim);
        let report = document(&machine, &aim, &settings, &Advice::of(&settings, &aim, &snapshot));
        let text = documents::to_json(&report);
        assert_eq!(documents::from_json::<documents::MachineCheckReport>(&text).unwrap(), report);
    }
}
