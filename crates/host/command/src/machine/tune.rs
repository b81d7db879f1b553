//! `tauto machine tune`: changes all settings that can be changed now.

use super::advice;
use crate::arguments::TuneArguments;
use cpus::tune::{Outcome, Plan, Selection, Step, Tuner};
use cpus::{QuietCpus, Registry};
use settings::{Advice, Aim, Snapshot, Timing, examine};
use std::path::Path;
use std::process::ExitCode;
use system::Roots;
use terminal::{Align, Cell, Report, Style, Table, print_result};

/// Plans, changes and reports; the exit code is 1 if the kernel refused anything, otherwise 0.
pub fn run(arguments: &TuneArguments, json: bool) -> anyhow::Result<ExitCode> {
    let selection = Selection { only: arguments.only.clone(), except: arguments.except.clone() };
    let roots = Roots::host();
    // Lock before reading, so that no other process changes the settings in between.
    let mut tuner = match arguments.dry_run {
        true => None,
        false => Some(Tuner::open(&roots, Path::new(Registry::FOLDER))?),
    };
    if tuner.is_some() {
        // What is moved only during a run must not be recorded as the original state.
        QuietCpus::give_all_back(&Registry::here()?)?;
    }
    let snapshot = Snapshot::read(&roots, Timing::unmeasured("not needed to plan"));
    let aim = Aim::choose(&snapshot, arguments.housekeeping.as_ref())?;
    let settings = examine(&snapshot, &aim);
    let plan = Plan::of(&settings, &selection)?;
    let outcomes = match &mut tuner {
        Some(tuner) => tuner.apply(&plan)?.into_iter().map(Some).collect(),
        None => vec![None; plan.steps.len()],
    };
    let advice = Advice::of(&settings, &aim, &snapshot);
    let results: Vec<_> = plan.steps.iter().zip(outcomes).collect();
    // Users that name settings have already seen the other advice.
    let shown = arguments.only.is_empty().then_some(&advice);
    let document = document(arguments.dry_run, &results, &advice);
    print_result(&document, json, |_| report_of(arguments.dry_run, &results, shown))?;
    let refused = results.iter().any(|(_, outcome)| matches!(outcome, Some(Outcome::Refused(_))));
    Ok(ExitCode::from(u8::from(refused)))
}

type Results<'p> = [(&'p Step, Option<Outcome>)];

fn report_of(dry_run: bool, results: &Results<'_>, advice: Option<&Advice>) -> Report {
    let header = ["setting", "file", "before", "value", "outcome"];
    let mut table = Table::new(&header.map(|name| (name, Align::Left)));
    for (step, outcome) in results {
        let change = &step.change;
        let cells = [step.id.as_str(), &change.path, &change.write_back, &change.value];
        table.row(cells.map(Cell::from).into_iter().chain([outcome_cell(outcome.as_ref())]));
        if let Some(Outcome::Refused(why)) = outcome {
            table.note(None, &format!("why:  {why}"));
        }
    }
    let summary = match (results.len(), dry_run) {
        (0, _) => "nothing to change: everything that can be written now is as it should be".to_owned(),
        (1, true) => "1 file would be written; nothing was".to_owned(),
        (count, true) => format!("{count} files would be written; nothing was"),
        (count, false) => {
            let refused =
                results.iter().filter(|(_, outcome)| matches!(outcome, Some(Outcome::Refused(_)))).count();
            format!("{} of {count} files changed; 'tauto machine restore' restores them", count - refused)
        }
    };
    let mut report = Report::default();
    if !results.is_empty() {
        report.table("", table);
    }
    if let Some(advice) = advice {
        advice::add_to(&mut report, advice);
    }
    report.line(&summary);
    report
}

fn outcome_cell(outcome: Option<&Outcome>) -> Cell {
    match outcome {
        None => "would be written".into(),
        Some(Outcome::Applied) => Cell::styled(Style::Good, "applied"),
        Some(Outcome::AlreadyThere) => Cell::styled(Style::Good, "applied with another"),
        Some(Outcome::Adjusted(now)) => Cell::styled(Style::Caution, format!("the kernel made it {now}")),
        Some(Outcome::Refused(_)) => Cell::styled(Style::Bad, "refused"),
    }
}

fn document(dry_run: bool, results: &Results<'_>, advice: &Advice) -> documents::MachineTuneReport {
    let (boot, firmware) = advice::wire(advice);
    let steps = results.iter().map(|(step, outcome)| {
        let (outcome, detail) = match outcome {
            None => (None, None),
            Some(Outcome::Applied) => (Some("applied"), None),
            Some(Outcome::AlreadyThere) => (Some("already_there"), None),
            Some(Outcome::Adjusted(now)) => (Some("adjusted"), Some(now.clone())),
            Some(Outcome::Refused(why)) => (Some("refused"), Some(why.clone())),
        };
        documents::TuneStep {
            setting: step.id.clone(),
            path: step.change.path.clone(),
            before: step.change.before.clone(),
            value: step.change.value.clone(),
            why: step.why.to_owned(),
            outcome: outcome.map(str::to_owned),
            detail,
        }
    });
    documents::MachineTuneReport { dry_run, steps: steps.collect(), boot, firmware }
}

#[cfg(test)]
mod tests {
    use super::*;
    use settings::Change;
    use terminal::Colour;

    fn step(path: &str) -> Step {
        let change = Change {
            path: path.to_owned(),
            before: "always [madvise]".to_owned(),
            write_back: "madvise".to_owned(),
            value: "never".to_owned(),
        };
        Step { id: "huge-pages".to_owned(), change, why: "it disturbs" }
    }

    #[test]
    fn refused_changes_have_a_reason() {
        let steps = [step("/sys/a"), step("/sys/b"), step("/sys/c")];
        let outcomes = [
            Outcome::Applied,
            Outcome::Refused("Invalid argument".to_owned()),
            Outcome::Adjusted("5".to_owned()),
        ];
        let results: Vec<_> = steps.iter().zip(outcomes.into_iter().map(Some)).collect();
        let expected = "\
setting     file    before   value  outcome
────────────────────────────────────────────────────────
huge-pages  /sys/a  madvise  never  applied
huge-pages  /sys/b  madvise  never  refused
    why:  Invalid argument
huge-pages  /sys/c  madvise  never  the kernel made it 5

2 of 3 files changed; 'tauto machine restore' restores them
";
        let text = |dry_run, results: &Results<'_>| report_of(dry_run, results, None).text(Colour::Off);
        assert_eq!(text(false, &results), expected);
        let results: Vec<_> = steps.iter().zip([None]).collect();
        assert!(text(true, &results).ends_with("1 file would be written; nothing was\n"));
        let nothing = "nothing to change: everything that can be written now is as it should be\n";
        assert_eq!(text(false, &[]), nothing);
    }
}
