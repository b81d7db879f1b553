//! The traces of a GPU cluster of 2023, "openb": a list of nodes and a list of pods.

use super::table::{Column, SourceLine, Table};
use super::{About, ImportError, Input, MS_PER_S, Summary};
use crate::trace::check::{CPU_MILLI, Limit, MEMORY_MIB, TIME_MS_MAX, shown};
use crate::trace::{Head, HostRecord, JobRecord, Record, Writer};
use placement::{Amount, Level};
use std::io::{BufRead, Write};

/// Most pods: they are sorted in memory, where each takes some hundred bytes.
const PODS_MAX: usize = 2_000_000;
const SECONDS: Limit = Limit { what: "seconds since the trace began", min: 0, max: TIME_MS_MAX / MS_PER_S };
const GPUS: Limit = Limit { what: "GPUs", min: 0, max: 1024 };
const QOS: &str = "LS, Guaranteed, Burstable or BE";

/// Most nodes: as many as a trace has hosts.
const NODES_MAX: usize = 2_000_000;

/// What is taken of the cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// How many nodes, spread evenly over their list; `None` for all.
    pub hosts: Option<u32>,
}

/// Makes a trace of a list of nodes and one of pods.
///
/// # Errors
/// When a source is not such a list, it has fewer nodes than wanted, or the trace cannot be written.
pub fn import<N: BufRead, P: BufRead, W: Write>(
    nodes: Input<N>,
    pods: Input<P>,
    options: Options,
    about: &About,
    target: W,
) -> Result<Summary, ImportError> {
    let mut summary = Summary::default();
    let nodes = Nodes::read(nodes, options)?;
    summary.remarks.extend(nodes.remark());
    let jobs = read_pods(pods, &mut summary)?;
    let mut note =
        "openb, a GPU cluster. GPUs are left out; their type is a label of the host. A job uses what it \
                    requests, since the source does not contain what it used."
            .to_owned();
    summary.remarks.iter().for_each(|remark| note = format!("{note} {remark}."));
    let About { name, made_by } = about.clone();
    let mut writer = Writer::create(target, &Head { name, made_by, separate_days: false, note })?;
    for (place, host) in nodes.kept() {
        writer.write(&Record::Host(host.clone())).map_err(|error| place.record(error))?;
        summary.hosts += 1;
    }
    for job in jobs {
        writer.write(&Record::Job(job))?;
        summary.jobs += 1;
    }
    writer.finish()?;
    Ok(summary)
}

/// The list of nodes, and how many of them are kept.
struct Nodes {
    /// With where each stands.
    all: Vec<(SourceLine, HostRecord)>,
    kept: usize,
}

impl Nodes {
    fn read<R: BufRead>(nodes: Input<R>, options: Options) -> Result<Self, ImportError> {
        let mut table = Table::open(nodes)?;
        let names = ["sn", "cpu_milli", "memory_mib", "gpu", "model"];
        let [name, cpu_milli, memory_mib, gpu, model] = table.columns(names)?;
        let (mut all, fields) = (Vec::new(), table.row().len());
        while table.advance()? {
            table.expect_fields(fields, &names.join(", "))?;
            table.place().rows_at_most(all.len(), NODES_MAX)?;
            let cpu_milli = table.whole_u32(cpu_milli, &CPU_MILLI)?;
            let memory_mib = table.whole_u32(memory_mib, &MEMORY_MIB)?;
            let mut host = HostRecord::new(table.name(name)?, Amount { cpu_milli, memory_mib });
            if table.whole(gpu, &GPUS)? > 0 {
                host.labels.push(table.name(model)?);
            }
            all.push((table.place().clone(), host));
        }
        let kept = options.hosts.map_or(all.len(), |hosts| hosts as usize);
        if options.hosts == Some(0) || kept > all.len() {
            let message =
                format!("'{kept}' nodes cannot be taken; expected 1 to {}, as many as there are", all.len());
            return Err(ImportError::Option { option: "hosts", message });
        }
        Ok(Self { all, kept })
    }

    /// Returns the nodes that are kept: of each stretch of the list that is as long as the others, the last.
    fn kept(&self) -> impl Iterator<Item = &(SourceLine, HostRecord)> {
        let all = self.all.len() as u64;
        // How many of the first N are kept; the product fits, since both are at most two millions.
        let of_first = move |count: u64| count * self.kept as u64 / all;
        self.all.iter().zip(0..).filter(move |(_, at)| of_first(at + 1) > of_first(*at)).map(|(node, _)| node)
    }

    fn remark(&self) -> Option<String> {
        let Self { all, kept } = self;
        (*kept < all.len())
            .then(|| format!("{kept} of {} nodes are hosts, spread evenly over the list", all.len()))
    }
}

/// The columns of a list of pods.
struct Pods {
    name: Column,
    cpu_milli: Column,
    memory_mib: Column,
    qos: Column,
    created: Column,
    deleted: Column,
    scheduled: Column,
}

fn read_pods<R: BufRead>(pods: Input<R>, summary: &mut Summary) -> Result<Vec<JobRecord>, ImportError> {
    let mut table = Table::open(pods)?;
    let names =
        ["name", "cpu_milli", "memory_mib", "qos", "creation_time", "deletion_time", "scheduled_time"];
    // A list of shapes only, such as `multigpu50`, ends here.
    let [name, cpu_milli, memory_mib, qos, created, deleted, scheduled] = table.columns(names)?;
    let fields = table.row().len();
    let columns = Pods { name, cpu_milli, memory_mib, qos, created, deleted, scheduled };
    let (mut jobs, mut too_short) = (Vec::new(), 0_u64);
    while table.advance()? {
        table.expect_fields(fields, "as many as the first line")?;
        table.place().rows_at_most(jobs.len(), PODS_MAX)?;
        let job = read_pod(&table, &columns)?;
        if job.for_ms == Some(0) { too_short += 1 } else { jobs.push(job) }
    }
    if too_short > 0 {
        summary.remarks.push(format!("pods that lived for 0 s are left out: {too_short}"));
    }
    // Stable: pods of the same second stay in the order of the list.
    jobs.sort_by_key(|job| job.at_ms);
    Ok(jobs)
}

fn read_pod<R: BufRead>(table: &Table<R>, columns: &Pods) -> Result<JobRecord, ImportError> {
    let cpu_milli = table.whole_u32(columns.cpu_milli, &CPU_MILLI)?;
    // Nothing runs without memory; the one pod of 0 MiB was not measured.
    let memory_mib = table.whole_u32(columns.memory_mib, &MEMORY_MIB)?.max(1);
    let created = table.whole(columns.created, &SECONDS)?;
    let since = match table.text(columns.scheduled) {
        "" => created,
        _ => table.whole(columns.scheduled, &SECONDS)?,
    };
    let mut job =
        JobRecord::new(table.name(columns.name)?, created * MS_PER_S, Amount { cpu_milli, memory_mib });
    if !table.text(columns.deleted).is_empty() {
        let deleted = table.whole(columns.deleted, &SECONDS)?;
        let ran = deleted.checked_sub(since).ok_or_else(|| {
            table
                .wrong(columns.deleted, format!("'{deleted}' is before its start; expected {since} or later"))
        })?;
        job.for_ms = Some(ran * MS_PER_S);
    }
    (job.level, job.elastic) = match table.text(columns.qos) {
        "LS" | "Guaranteed" | "Burstable" => (Level::Standard, false),
        "BE" => (Level::BestEffort, true),
        other => {
            let other = shown(other);
            return Err(
                table.wrong(columns.qos, format!("'{other}' is no quality of service; expected {QOS}"))
            );
        }
    };
    Ok(job)
}
