//! Changes a real machine's settings and restores them: only for the project's own virtual machine.

use crate::table::{Row, outcome};
use anyhow::{Context, Result, bail, ensure};
use cpus::tune::{Outcome, Plan, Restored, Selection, Tuner};
use settings::{Aim, Setting, Snapshot, Timing, examine};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;
use system::{Roots, Status};

const STATE: &str = "/run/tautochrone-settings-suite";
/// Each kill is a program that is started again, which takes a while in an emulated machine.
const KILLS: usize = 5;

type Files = BTreeMap<String, String>;

/// Runs every test, one after the other, each on the state that the previous one left.
pub fn run() -> Result<Vec<Row>> {
    let begin = examine_machine()?;
    let plan = Plan::of(&begin, &Selection::default())?;
    let files = read(&plan)?;
    let tests: [(&str, &dyn Fn() -> Result<()>); 4] = [
        ("settings-are-changed-and-brought-back", &|| changed_and_back(&plan, &files)),
        ("settings-changed-by-others-are-left", &|| others_are_respected(&plan, &files)),
        ("settings-are-brought-back-after-a-kill", &|| killed_in_the_middle(&plan, &files)),
        ("settings-on-request-are-brought-back", &on_request),
    ];
    let rows = tests.into_iter().map(|(name, test)| {
        let tested = test();
        // Leftovers of a test would affect the next one.
        let _ = tuner()?.restore(true)?;
        Ok(outcome(name, tested))
    });
    rows.collect()
}

/// Changes settings and, after some writes, ends as if killed.
pub fn tune_until_killed(writes: usize, state: &Path) -> Result<()> {
    let mut left = writes;
    let writer = move |place: &Path, value: &str| {
        if left == 0 {
            rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL)?;
        }
        left -= 1;
        fs::write(place, format!("{value}\n"))
    };
    let plan = Plan::of(&examine_machine()?, &Selection::default())?;
    Tuner::with_writer(&Roots::host(), state, Box::new(writer))?.apply(&plan)?;
    bail!("{} writes were over before the kill", plan.steps.len())
}

fn examine_machine() -> Result<Vec<Setting>> {
    let snapshot = Snapshot::read(&Roots::host(), Timing::unmeasured("not needed"));
    let aim = Aim::choose(&snapshot, None)?;
    Ok(examine(&snapshot, &aim))
}

fn tuner() -> Result<Tuner<'static>> {
    Ok(Tuner::open(&Roots::host(), Path::new(STATE))?)
}

fn read(plan: &Plan) -> Result<Files> {
    let read = |path: &str| Ok((path.to_owned(), fs::read_to_string(path).with_context(|| path.to_owned())?));
    plan.steps.iter().map(|step| read(&step.change.path)).collect()
}

fn ensure_same(files: &Files) -> Result<()> {
    let differ: Vec<_> = files
        .iter()
        .filter_map(|(path, before)| {
            let now = fs::read_to_string(path).unwrap_or_default();
            (now != *before).then(|| format!("{path} held {before:?} and holds {now:?}"))
        })
        .collect();
    ensure!(differ.is_empty(), "{}", differ.join("\n"));
    Ok(())
}

fn changed_and_back(plan: &Plan, files: &Files) -> Result<()> {
    // A distribution's ordinary kernel has more than this to fix.
    ensure!(plan.steps.len() >= 12, "only {} files are to be changed", plan.steps.len());
    let outcomes = tuner()?.apply(plan)?;
    let mut refused = Vec::new();
    for (step, outcome) in plan.steps.iter().zip(&outcomes) {
        if let Outcome::Refused(why) = outcome {
            println!("      refused: {} {}: {why}", step.id, step.change.path);
            refused.push(step.id.as_str());
        }
    }
    let applied = outcomes.len() - refused.len();
    ensure!(applied >= 10, "the kernel took only {applied} of {} values", outcomes.len());
    for setting in examine_machine()? {
        let was_changed = plan.steps.iter().any(|step| step.id == setting.id);
        if was_changed && !refused.contains(&setting.id) {
            ensure!(setting.status == Status::Pass, "{} is still {}", setting.id, setting.found);
        }
    }
    // Again: present values are left alone, and the record keeps the first ones.
    let again = Plan::of(&examine_machine()?, &Selection::default())?;
    let unexpected = again.steps.iter().find(|step| !refused.contains(&step.id.as_str()));
    ensure!(unexpected.is_none(), "the second time {unexpected:?} was to be changed");
    tuner()?.apply(&again)?;
    for restoration in tuner()?.restore(false)? {
        ensure!(restoration.outcome.is_done(), "{restoration:?}");
    }
    ensure_same(files)?;
    ensure!(tuner()?.restore(false)?.is_empty(), "the second time nothing is left to bring back");
    let changed: BTreeSet<_> = plan.steps.iter().map(|step| step.id.as_str()).collect();
    let changed = changed.into_iter().collect::<Vec<_>>().join(" ");
    println!("      {applied} of {} values changed and restored: {changed}", outcomes.len());
    Ok(())
}

fn others_are_respected(plan: &Plan, files: &Files) -> Result<()> {
    const FILE: &str = "/proc/sys/vm/stat_interval";
    const THEIRS: &str = "37\n";
    tuner()?.apply(plan)?;
    fs::write(FILE, THEIRS)?;
    let left: Vec<_> =
        tuner()?.restore(false)?.into_iter().filter(|restoration| !restoration.outcome.is_done()).collect();
    ensure!(left.len() == 1 && left[0].path == FILE, "{left:?}");
    ensure!(left[0].outcome == Restored::ChangedByOthers { now: "37".to_owned() }, "{left:?}");
    ensure!(fs::read_to_string(FILE)? == THEIRS, "what others wrote was overwritten");
    ensure!(tuner()?.restore(true)?.iter().all(|restoration| restoration.outcome.is_done()));
    ensure_same(files)
}

fn killed_in_the_middle(plan: &Plan, files: &Files) -> Result<()> {
    let writes = plan.steps.len();
    for kill in 0..KILLS {
        let after = kill * (writes - 1) / (KILLS - 1);
        let ended = Command::new("/proc/self/exe")
            .args(["tune-until-killed", &after.to_string(), STATE])
            .output()
            .context("cannot start this program again")?;
        let errors = String::from_utf8_lossy(&ended.stderr);
        ensure!(ended.status.code().is_none(), "after {after} writes it was not killed: {errors}");
        let changed = ensure_same(files).is_err();
        ensure!(changed || after == 0, "after {after} writes nothing was changed");
        for restoration in tuner()?.restore(false)? {
            ensure!(restoration.outcome.is_done(), "after {after} writes: {restoration:?}");
        }
        ensure_same(files).with_context(|| format!("after {after} writes"))?;
    }
    Ok(())
}

fn on_request() -> Result<()> {
    let selection = Selection { only: vec!["address-randomisation".to_owned()], ..Selection::default() };
    let plan = Plan::of(&examine_machine()?, &selection)?;
    let files = read(&plan)?;
    ensure!(plan.steps.len() == 1, "{plan:?}");
    tuner()?.apply(&plan)?;
    ensure!(ensure_same(&files).is_err(), "nothing was changed");
    tuner()?.restore(false)?;
    ensure_same(&files)
}
