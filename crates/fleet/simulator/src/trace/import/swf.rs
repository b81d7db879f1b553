//! Logs of parallel machines and grids in the Standard Workload Format 2.2.

use super::table::{ROW_BYTES_MAX, SourceLine};
use super::{About, ImportError, Input, MS_PER_S, MadeUpHosts, Summary};
use crate::trace::check::{CPU_MILLI, HOSTS_MAX, Limit, MEMORY_MIB, TIME_MS_MAX};
use crate::trace::unpacked::{Unpacked, read_line};
use crate::trace::{Head, JobRecord, Record, Writer};
use placement::{Amount, Level};
use std::io::{BufRead, Write};

const FIELDS: usize = 18;
/// Most lines of jobs: they are sorted in memory, where each takes 80 bytes.
const JOBS_MAX: usize = 10_000_000;
/// Decimals of a second that count.
const MS_DIGITS: usize = 3;
/// "Unknown" is -1 in every field.
const UNKNOWN: &str = "-1";
/// The status of a line that is one of a job's partial executions: one that goes on, the last of a job that completed, the
/// last of one that failed.
const PARTIAL: [&str; 3] = ["2", "3", "4"];
const SECONDS: Limit = Limit { what: "seconds", min: 0, max: TIME_MS_MAX / MS_PER_S };
const NUMBER: Limit = Limit { what: "a number", min: 0, max: u64::MAX };
const PROCESSORS: Limit = Limit { what: "processors", min: 0, max: u32::MAX as u64 };
const PROCESSORS_MAX: u64 = CPU_MILLI.max / 1000;
const MEMORY_KIB: Limit = Limit { what: "KiB for each processor", min: 0, max: MEMORY_MIB.max * 1024 };

/// What the source does not contain.
#[derive(Clone, Debug)]
pub struct Options {
    /// The hosts. Without a number: as many as have the processors that the comment `MaxProcs` names.
    pub hosts: MadeUpHosts,
    /// Memory of a processor where the source does not contain it.
    pub memory_mib_per_cpu: u32,
    /// The service level of all jobs.
    pub level: Level,
}

impl Default for Options {
    fn default() -> Self {
        Self { hosts: MadeUpHosts::default(), memory_mib_per_cpu: 1024, level: Level::Standard }
    }
}

/// A line of the log, or a job of several.
struct Job {
    number: u64,
    /// Where it is in the log.
    line: u64,
    /// Of a job's partial executions only the first has to have one.
    submitted_ms: Option<u64>,
    ran_ms: Option<u64>,
    /// 0 where it is unknown.
    processors: u32,
    memory_mib: u32,
    user: Option<u64>,
    partial: bool,
}

/// What was left out, and how often.
#[derive(Default)]
struct LeftOut {
    ran_not: u64,
    run_time_unknown: u64,
    processors_unknown: u64,
    too_wide: u64,
    repeated: u64,
    begin_unknown: u64,
}

/// Makes a trace of a log.
pub fn import<R: BufRead, W: Write>(
    log: Input<R>,
    options: &Options,
    about: &About,
    target: W,
) -> Result<Summary, ImportError> {
    let host = options.hosts.check()?;
    if !MEMORY_MIB.has(u64::from(options.memory_mib_per_cpu) * PROCESSORS_MAX) {
        let message = format!(
            "'{}' is above {}; expected MiB",
            options.memory_mib_per_cpu,
            MEMORY_MIB.max / PROCESSORS_MAX
        );
        return Err(ImportError::Option { option: "memory-mib-per-cpu", message });
    }
    let mut left_out = LeftOut::default();
    let (lines, processors) = read(log, options, &mut left_out)?;
    let mut jobs = whole_jobs(lines, &mut left_out);
    // Jobs of the same time stay in the order of the log.
    jobs.sort_unstable_by_key(|job| (job.submitted_ms, job.line));
    let hosts = count_hosts(&options.hosts, processors)?;
    let mut remarks = left_out.remarks();
    let wide = jobs.iter().filter(|job| u64::from(job.processors) * 1000 > host.cpu_milli.into()).count();
    if wide > 0 {
        remarks.push(format!("{wide} jobs request more CPUs than a host has"));
    }
    let mut note = format!(
        "A log in the Standard Workload Format. Made up: {}; {} MiB of memory for each processor where it is unknown. A \
         job uses the processors that it got for the time that it ran.",
        options.hosts.note(hosts),
        options.memory_mib_per_cpu
    );
    remarks.iter().for_each(|remark| note = format!("{note} {remark}."));
    let About { name, made_by } = about.clone();
    let mut writer = Writer::create(target, &Head { name, made_by, separate_days: false, note })?;
    options.hosts.write(hosts, &mut writer)?;
    for job in &jobs {
        writer.write(&Record::Job(job.record(options.level)))?;
    }
    writer.finish()?;
    Ok(Summary { hosts, jobs: jobs.len() as u64, remarks })
}

fn count_hosts(hosts: &MadeUpHosts, processors: Option<u64>) -> Result<u64, ImportError> {
    if let Some(count) = hosts.count {
        return Ok(count.into());
    }
    let refuse = |message: String| ImportError::Option { option: "hosts", message };
    let processors = processors.filter(|processors| *processors > 0).ok_or_else(|| {
        refuse(
            "the log does not contain the number of processors in a comment 'MaxProcs'; say how many hosts"
                .to_owned(),
        )
    })?;
    let count = processors.div_ceil(hosts.cpus.into());
    if count > HOSTS_MAX {
        let message = format!(
            "MaxProcs of the log would make {count}, and {HOSTS_MAX} are the most; say how many hosts"
        );
        return Err(refuse(message));
    }
    Ok(count)
}

/// Reads the jobs, and the number of processors from the comments.
fn read<R: BufRead>(
    log: Input<R>,
    options: &Options,
    left_out: &mut LeftOut,
) -> Result<(Vec<Job>, Option<u64>), ImportError> {
    let mut place = SourceLine { file: log.name, line: 0 };
    let mut source = Unpacked::new(log.reader).map_err(|error| place.read(error))?;
    let (mut jobs, mut processors, mut buffer) = (Vec::new(), None, Vec::new());
    loop {
        place.line += 1;
        read_line(&mut source, &mut buffer, ROW_BYTES_MAX).map_err(|error| place.read(error))?;
        if buffer.is_empty() {
            return Ok((jobs, processors));
        }
        if buffer.len() > ROW_BYTES_MAX {
            return Err(place.row(format!("is longer than {ROW_BYTES_MAX} bytes; expected {FIELDS} numbers")));
        }
        // Comments hold names in any encoding.
        let line = String::from_utf8_lossy(&buffer);
        if let Some(comment) = line.trim_start().strip_prefix(';') {
            if let Some(text) = comment.trim().strip_prefix("MaxProcs:") {
                processors = Some(place.whole("MaxProcs", text.trim(), &PROCESSORS)?);
            }
        } else if !line.trim().is_empty() {
            place.rows_at_most(jobs.len(), JOBS_MAX)?;
            jobs.extend(read_job(&place, &line, options, left_out)?);
        }
    }
}

/// Reads a job; `None` for one that is left out.
fn read_job(
    place: &SourceLine,
    line: &str,
    options: &Options,
    left_out: &mut LeftOut,
) -> Result<Option<Job>, ImportError> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let fields: [&str; FIELDS] = fields.try_into().map_err(|fields: Vec<&str>| {
        place.row(format!("expected {FIELDS} numbers of a job, found {}", fields.len()))
    })?;
    let [number, submit, _, run, allocated, _, _, requested, _, memory, status, user, ..] = fields;
    let known = |field: &str, text: &str, limit: &Limit| match text {
        UNKNOWN => Ok(None),
        _ => place.whole(field, text, limit).map(Some),
    };
    let number = place.whole("job number", number, &NUMBER)?;
    let milliseconds = |field: &str, text: &str| match text {
        UNKNOWN => Ok(None),
        _ => place.rounded_up(field, text, MS_DIGITS, &SECONDS).map(Some),
    };
    let partial = PARTIAL.contains(&status);
    let submitted_ms = match submit {
        UNKNOWN if !partial => return Err(place.field("submit time", SECONDS.complaint(submit))),
        _ => milliseconds("submit time", submit)?,
    };
    let ran_ms = milliseconds("run time", run)?;
    let allocated = known("allocated processors", allocated, &PROCESSORS)?;
    let requested = known("requested processors", requested, &PROCESSORS)?;
    let memory_kib = match memory {
        UNKNOWN => None,
        _ => Some(place.rounded_up("requested memory", memory, 0, &MEMORY_KIB)?),
    };
    let user = known("user", user, &NUMBER)?;
    let processors = allocated.or(requested).unwrap_or(0);
    if processors > PROCESSORS_MAX {
        left_out.too_wide += 1;
        return Ok(None);
    }
    let default_kib = u64::from(options.memory_mib_per_cpu) * 1024;
    let memory_kib = memory_kib.filter(|memory| *memory > 0).unwrap_or(default_kib);
    let memory_mib = (memory_kib * processors).div_ceil(1024);
    if processors > 0 && !MEMORY_MIB.has(memory_mib) {
        let message = format!(
            "'{memory_kib}' KiB on {processors} processors is {memory_mib} MiB; expected {MEMORY_MIB}"
        );
        return Err(place.field("requested memory", message));
    }
    let (processors, memory_mib) = (processors as u32, memory_mib as u32);
    Ok(Some(Job { number, line: place.line, submitted_ms, ran_ms, processors, memory_mib, user, partial }))
}

/// Makes one job of the lines with its number: the line that summarizes it, or else its partial executions together.
///
/// By the definition of the format, a log may have both for a job that was swapped out, and only one of them counts.
fn whole_jobs(mut lines: Vec<Job>, left_out: &mut LeftOut) -> Vec<Job> {
    lines.sort_unstable_by_key(|line| (line.number, line.partial, line.line));
    let mut jobs: Vec<Job> = Vec::with_capacity(lines.len());
    for line in lines {
        match jobs.last_mut().filter(|job| job.number == line.number) {
            None => jobs.push(line),
            Some(job) if job.partial => job.continue_with(&line),
            Some(_) if line.partial => {}
            Some(_) => left_out.repeated += 1,
        }
    }
    jobs.retain(|job| {
        let counter = match job {
            Job { submitted_ms: None, .. } => &mut left_out.begin_unknown,
            Job { ran_ms: Some(0), .. } => &mut left_out.ran_not,
            Job { ran_ms: None, .. } => &mut left_out.run_time_unknown,
            Job { processors: 0, .. } => &mut left_out.processors_unknown,
            _ => return true,
        };
        *counter += 1;
        false
    });
    jobs
}

impl Job {
    /// Adds the next partial execution.
    fn continue_with(&mut self, next: &Self) {
        self.submitted_ms = self.submitted_ms.or(next.submitted_ms);
        self.ran_ms = match (self.ran_ms, next.ran_ms) {
            (Some(before), Some(after)) => Some((before + after).min(TIME_MS_MAX)),
            (one, other) => one.or(other),
        };
        self.processors = self.processors.max(next.processors);
        self.memory_mib = self.memory_mib.max(next.memory_mib);
        self.user = self.user.or(next.user);
    }

    fn record(&self, level: Level) -> JobRecord {
        let request = Amount { cpu_milli: self.processors * 1000, memory_mib: self.memory_mib };
        let mut job = JobRecord::new(format!("j{}", self.number), self.submitted_ms.unwrap_or(0), request);
        job.level = level;
        job.service = self.user.map(|user| format!("user-{user}"));
        job.for_ms = self.ran_ms;
        job.elastic = true;
        job
    }
}

impl LeftOut {
    fn remarks(&self) -> Vec<String> {
        let kinds = [
            (self.ran_not, "with a run time of 0"),
            (self.run_time_unknown, "with an unknown run time"),
            (self.processors_unknown, "with an unknown number of processors"),
            (self.too_wide, "with more processors than a host can have"),
            (self.begin_unknown, "with an unknown submit time"),
            (self.repeated, "with the number of another job"),
        ];
        let some = kinds.into_iter().filter(|(count, _)| *count > 0);
        some.map(|(count, kind)| format!("jobs {kind} are left out: {count}")).collect()
    }
}
