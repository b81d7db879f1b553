//! The timed places of a judgehost.

use crate::arguments::JudgehostArguments;
use judge::{Station, StationOptions, Toolchains};
use languages::Languages;
use model::{CpuSet, Topology};
use rustix::fd::OwnedFd;
use std::sync::Arc;
use terminal::failure::input;
use terminal::prose::{error_columns, wrap};
use terminal::{Standard, visible};
use timing::{Choice, HostCpus, IfTaken, PlaceError, Queue, TimedCpus};

/// Opens them: leased, or shared with other processes.
pub fn open(
    arguments: &JudgehostArguments,
    languages: Languages,
    root: Option<Toolchains>,
    stop: Arc<OwnedFd>,
) -> anyhow::Result<Station> {
    let wait = || {
        IfTaken::Wait(Queue { patience: None, stop: Some(Arc::clone(&stop)), report: Arc::new(report_wait) })
    };
    let options = StationOptions {
        places: arguments.places,
        if_taken: wait(),
        root,
        stop: Some(Arc::clone(&stop)),
        ..StationOptions::default()
    };
    if arguments.cpu_list.is_none() && !arguments.shared {
        return Ok(Station::open(options, languages)?);
    }
    let host = timing::host_cpus()?;
    let cpus = match &arguments.cpu_list {
        Some(cpus) => cpus.clone(),
        None => unleased(&*host)?,
    };
    let choices = choices(&cpus, host.topology(), arguments.shared);
    if choices.is_empty() {
        return Err(input("others have leased all CPUs; name those to share with --cpu-list"));
    }
    let taken = choices.iter().map(|choice| TimedCpus::take(Arc::clone(&host), choice, &wait()));
    let taken = taken.collect::<Result<Vec<_>, _>>().map_err(judge::JudgeError::from)?;
    Ok(Station::on(taken, options, languages)?)
}

/// Prints why nothing is judged yet: another judgehost or a measurement on this machine will end.
fn report_wait(why: &PlaceError) {
    let _ = Standard::error().write(&wrap("", 2, &visible(&format!("waiting: {why}")), error_columns()));
}

fn unleased(host: &dyn HostCpus) -> anyhow::Result<CpuSet> {
    let leased: CpuSet =
        host.holders()?.iter().flat_map(|holder| holder.cpus.iter().collect::<Vec<_>>()).collect();
    Ok(host.topology().allowed.difference(&leased))
}

/// Returns a choice for each core, since SMT siblings cannot be timed at once.
fn choices(cpus: &CpuSet, topology: &Topology, is_shared: bool) -> Vec<Choice> {
    let of_cores = topology.cores.iter().map(|core| core.cpus.intersection(cpus));
    let known: CpuSet = topology.cpus();
    let unknown = cpus.difference(&known);
    let parts = of_cores.chain(unknown.iter().map(|cpu| std::iter::once(cpu).collect()));
    let parts = parts.filter(|part: &CpuSet| !part.is_empty());
    parts.map(|part| if is_shared { Choice::Shared(part) } else { Choice::Named(part) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Core;

    #[test]
    fn there_is_one_place_on_each_core() {
        let core = |cpus: &str| Core { os_id: None, cpus: cpus.parse().unwrap(), kind: None };
        let topology = Topology { cores: vec![core("0,2"), core("1,3")], ..Topology::default() };
        let chosen = |cpus: &str, is_shared| choices(&cpus.parse().unwrap(), &topology, is_shared);
        let set = |cpus: &str| cpus.parse::<CpuSet>().unwrap();
        assert_eq!(chosen("0,2-3", false), [Choice::Named(set("0,2")), Choice::Named(set("3"))]);
        assert_eq!(chosen("1", true), [Choice::Shared(set("1"))]);
        assert_eq!(chosen("9", false), [Choice::Named(set("9"))], "leasing it reports what is wrong");
    }
}
