//! The common beginning and end of all experiments.

use super::stage::out_folder;
use crate::arguments::LabArguments;
use cgroup::Layout;
use cpus::{CpuLease, Registry};
use documents::{ComparedWithArticle, Document};
use host_command::here::{allowed_cpus, busy};
use host_command::wire::named;
use labs::{GROUP_PREFIX, LabError};
use model::{CpuSet, Nanos};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use terminal::interrupt::Interrupt;
use terminal::{Progress, Report, Table};
use topology::{Described, Source};

/// The default amount of work.
#[derive(Clone, Copy, Debug)]
pub struct Amount {
    /// How often each arm runs.
    pub rounds: u32,
    /// The length of each run.
    pub time: Nanos,
}

/// A future run.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// Which round, from 0.
    pub round: u32,
    /// Which arm, from 0.
    pub arm: usize,
}

/// An experiment in progress.
pub struct Setting {
    /// The requested stop, if any.
    pub interrupt: Interrupt,
    /// The CPUs that it may use.
    pub cpus: CpuSet,
    pub topology: model::Topology,
    /// The amount of work.
    pub amount: Amount,
    /// Warnings for the user.
    pub warnings: Vec<String>,
    /// The progress line.
    pub progress: Progress,
    folder: PathBuf,
    _leases: Vec<CpuLease>,
}

impl Setting {
    /// Prepares it; `amounts` are for `--quick`, by default, and for `--full`.
    pub fn prepare(name: &str, arguments: &LabArguments, amounts: [Amount; 3]) -> anyhow::Result<Self> {
        let folder = out_folder(arguments.out.as_deref(), name)?;
        let usual = match (arguments.quick, arguments.full) {
            (true, _) => amounts[0],
            (_, true) => amounts[2],
            _ => amounts[1],
        };
        let amount = Amount {
            rounds: arguments.rounds.unwrap_or(usual.rounds),
            time: arguments.time.unwrap_or(usual.time),
        };
        let cpus = allowed_cpus()?;
        let Described { mut topology, mut warnings, .. } = topology::read(&Source::here())?;
        topology.allowed = cpus.clone();
        let (leases, taken) = lease(&cpus)?;
        warnings.extend(taken);
        if arguments.quick {
            warnings
                .push("--quick shows that it works, not what the machine does: run it without".to_owned());
        }
        warnings.extend(busy(cpus.len() as f64 / 4.0));
        Ok(Self {
            interrupt: Interrupt::listen()?,
            topology,
            amount,
            warnings,
            progress: Progress::on_stderr(true),
            folder,
            _leases: leases,
            cpus,
        })
    }

    /// Runs every round. The first error, or a signal, ends this and is returned.
    pub fn rounds<T>(
        &self,
        names: &[String],
        mut run: impl FnMut(Turn, &dyn Fn() -> bool) -> Result<T, LabError>,
        mut keep: impl FnMut(usize, T),
    ) -> Option<anyhow::Error> {
        self.progress.expect(u64::from(self.amount.rounds) * names.len() as u64);
        let stop = || self.interrupt.check().is_err();
        for (round, arm) in labs::rounds(names.len(), self.amount.rounds) {
            self.progress.say(names[arm].as_str());
            match run(Turn { round, arm }, &stop) {
                Ok(result) => keep(arm, result),
                Err(error) => return Some(self.interrupt.check().map_or_else(Into::into, |()| error.into())),
            }
            self.progress.step();
        }
        None
    }

    /// Makes the document's part about the measurement.
    pub fn document(&self, complete: bool, not_shown: Vec<String>) -> documents::LabSetting {
        documents::LabSetting {
            machine: host_command::wire::machine_identity(&system::Machine::here().identity()),
            cpus: self.cpus.to_string(),
            rounds_wanted: self.amount.rounds,
            complete,
            run_time_ns: self.amount.time.0,
            not_shown,
            warnings: self.warnings.clone(),
        }
    }

    /// Writes the files and prints the result; `error` is the reason if it ended early.
    pub fn deliver(
        self,
        report: &Report,
        document: &impl Document,
        json: bool,
        error: Option<anyhow::Error>,
    ) -> anyhow::Result<ExitCode> {
        let Self { folder, progress, .. } = self;
        drop(progress);
        report.deliver(&folder, document, json, error)
    }
}

/// Adds a section that compares the result with the article's.
pub fn compare_with_article(report: &mut Report, heading: &str, article: &str, rows: &[ComparedWithArticle]) {
    report.heading(heading);
    report.paragraph(article);
    let rows = rows.iter().map(|row| vec![row.what.clone(), row.article.clone(), row.here.clone()]);
    report.table(heading, Table::with_words(&["what", "article", "here"], &[1, 2], rows));
}

/// Adds how it was measured, and what this machine cannot show.
pub fn describe_setting(report: &mut Report, setting: &documents::LabSetting, method: Vec<String>) {
    if !setting.not_shown.is_empty() {
        report.heading("What this machine cannot show");
        report.sentences(setting.not_shown.clone());
    }
    report.heading("How it was measured");
    let machine = &setting.machine;
    let words = |value: &Option<String>| value.clone().unwrap_or_else(|| "unavailable".to_owned());
    let mut facts = vec![
        format!(
            "machine: {}, {} cores, hypervisor {}, Linux {}",
            words(&machine.cpu_model),
            machine.core_count.map_or_else(|| "unknown".to_owned(), |count| count.to_string()),
            words(&machine.hypervisor),
            words(&machine.kernel)
        ),
        format!(
            "{}; {} of {} for each arm, forwards and backwards in turn{}",
            named(&setting.cpus),
            model::counted(setting.rounds_wanted, "round"),
            terminal::numbers::time(setting.run_time_ns),
            if setting.complete { "" } else { ", ended before its time" }
        ),
    ];
    facts.extend(method);
    report.details(facts);
    report.sentences(setting.warnings.iter().map(|warning| format!("warning: {warning}")).collect());
}

/// Removes the groups of experiments that were killed.
pub fn remove_left_over(layout: &Layout) {
    cgroup::remove_left_over(layout, GROUP_PREFIX, |process| Path::new(&format!("/proc/{process}")).exists());
}

/// Leases all CPUs on which no other process of tauto's has timed runs.
fn lease(cpus: &CpuSet) -> anyhow::Result<(Vec<CpuLease>, Vec<String>)> {
    let registry = Registry::here()?;
    let leases = registry.take_free(cpus)?;
    let got = leases.iter().flat_map(|lease| lease.whole_cores().iter().collect::<Vec<_>>()).collect();
    let taken = cpus.difference(&got);
    let warning =
        format!("other tauto processes time on {}: this disturbs them, and they disturb it", taken.named());
    Ok((leases, if taken.is_empty() { Vec::new() } else { vec![warning] }))
}
