//! `tauto machine restore`: restores what `tune` has changed.

use crate::arguments::RestoreArguments;
use cpus::tune::{Restoration, Restored, Tuner};
use cpus::{QuietCpus, Registry};
use std::path::Path;
use std::process::ExitCode;
use system::Roots;
use terminal::{Align, Cell, Report, Style, Table, print_result};

/// Restores everything and reports; the exit code is 1 if something is left, otherwise 0.
pub fn run(arguments: &RestoreArguments, json: bool) -> anyhow::Result<ExitCode> {
    let files = Tuner::open(&Roots::host(), Path::new(Registry::FOLDER))?.restore(arguments.force)?;
    let given_back = QuietCpus::give_left_back(&Registry::here()?)?;
    let complete = files.iter().all(|file| file.outcome.is_done());
    let document = documents::MachineRestoreReport { complete, files: files.iter().map(wire).collect() };
    print_result(&document, json, |_| {
        let mut report = report_of(&files);
        if given_back > 0 {
            report.line(&format!(
                "{given_back} interrupts and kernel threads that a killed tauto had moved were restored"
            ));
        }
        report
    })?;
    Ok(ExitCode::from(u8::from(!complete)))
}

fn report_of(files: &[Restoration]) -> Report {
    let mut report = Report::default();
    if files.is_empty() {
        report.line("nothing to restore: no setting was changed since this machine was started");
        return report;
    }
    let header = ["setting", "file", "before", "outcome"];
    let mut table = Table::new(&header.map(|name| (name, Align::Left)));
    for file in files {
        let cells = [file.id.as_str(), &file.path, &file.before];
        table.row(cells.map(Cell::from).into_iter().chain([outcome_cell(&file.outcome)]));
        match &file.outcome {
            Restored::ChangedByOthers { now } => {
                table.note(
                    None,
                    &format!("why:  it holds '{now}', which is not what tune wrote; --force overwrites it"),
                );
            }
            Restored::Failed(why) => table.note(None, &format!("why:  {why}")),
            _ => {}
        }
    }
    let done = files.iter().filter(|file| file.outcome.is_done()).count();
    report.table("", table);
    report.line(&format!("{done} of {} files are as before", files.len()));
    report
}

fn outcome_cell(outcome: &Restored) -> Cell {
    match outcome {
        Restored::Back => Cell::styled(Style::Good, "restored"),
        Restored::AlreadyBack => Cell::styled(Style::Good, "was back already"),
        Restored::Gone => Cell::styled(Style::Faint, "no longer there"),
        Restored::ChangedByOthers { .. } => Cell::styled(Style::Caution, "changed by others"),
        Restored::Failed(_) => Cell::styled(Style::Bad, "failed"),
    }
}

fn wire(file: &Restoration) -> documents::RestoredFile {
    let (outcome, detail) = match &file.outcome {
        Restored::Back => ("restored", None),
        Restored::AlreadyBack => ("already_back", None),
        Restored::Gone => ("gone", None),
        Restored::ChangedByOthers { now } => ("changed_by_others", Some(now.clone())),
        Restored::Failed(why) => ("failed", Some(why.clone())),
    };
    documents::RestoredFile {
        setting: file.id.clone(),
        path: file.path.clone(),
        before: file.before.clone(),
        outcome: outcome.to_owned(),
        detail,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use terminal::Colour;

    #[test]
    fn unrestored_settings_have_a_reason() {
        let file = |id: &str, outcome| Restoration {
            id: id.to_owned(),
            path: "/proc/sys/x".to_owned(),
            before: "1".to_owned(),
            outcome,
        };
        let files = [
            file("turbo", Restored::Back),
            file("swap", Restored::ChangedByOthers { now: "5".to_owned() }),
            file("smt", Restored::Failed("Invalid argument".to_owned())),
        ];
        let expected = "\
setting  file         before  outcome
───────────────────────────────────────────────
turbo    /proc/sys/x  1       restored
swap     /proc/sys/x  1       changed by others
    why:  it holds '5', which is not what tune wrote; --force overwrites it
smt      /proc/sys/x  1       failed
    why:  Invalid argument

1 of 3 files are as before
";
        assert_eq!(report_of(&files).text(Colour::Off), expected);
        assert!(report_of(&[]).text(Colour::Off).starts_with("nothing to restore"));
    }
}
