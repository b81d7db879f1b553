//! What the values of a trace may be, for its reader and its writer alike.

use super::{ChangeRecord, Head, HostRecord, JobRecord, Record};
use placement::policy::{expected_name, is_name as is_name_in_policies};
use std::collections::BTreeSet;
use std::fmt;

/// Longest line: a job with as many changes of its use as it may have takes 2 MiB.
pub const LINE_BYTES_MAX: usize = 8 << 20;
/// Longest name, as of a file.
const NAME_BYTES_MAX: usize = 256;
/// Longest note: a page.
const NOTE_BYTES_MAX: usize = 16 << 10;
/// Most hosts: the largest fleets of one owner are as large.
pub const HOSTS_MAX: u64 = 2_000_000;
/// Most jobs: more would take an hour to read.
pub const JOBS_MAX: u64 = 100_000_000;
/// Most changes of hosts: ten of each.
const CHANGES_MAX: u64 = 20_000_000;
/// Most labels: each is a bit of a word.
const LABELS_MAX: usize = 64;
/// Most changes of a job's use: one a second for a day.
const USES_MAX: usize = 100_000;

/// Ten years: longer than any trace that was published.
pub const TIME_MS_MAX: u64 = 10 * 366 * 24 * 3600 * 1000;
/// A host's or job's CPUs: as many as Linux can have.
pub const CPU_MILLI: Limit = Limit { what: "thousandths of a CPU", min: 1, max: 4_096_000 };
/// A job's or host's memory, up to 64 TiB.
pub const MEMORY_MIB: Limit = Limit { what: "MiB", min: 0, max: 64 << 20 };
/// A time since the trace began.
pub const AT_MS: Limit = Limit { what: "milliseconds", min: 0, max: TIME_MS_MAX };
pub const FOR_MS: Limit = Limit { what: "milliseconds", min: 1, max: TIME_MS_MAX };
pub const USE_MILLI: Limit = Limit { what: "thousandths of a CPU", min: 0, max: CPU_MILLI.max };
/// NUMA nodes: as many as Linux can have.
pub const NUMA_NODES: Limit = Limit { what: "NUMA nodes", min: 1, max: 1024 };
/// Logical CPUs in a core: POWER has 8.
pub const THREADS: Limit = Limit { what: "logical CPUs in a core", min: 1, max: 8 };
/// Noise, up to a thousand times as long.
pub const NOISE_PERMILLE: Limit = Limit { what: "thousandths", min: 0, max: 1_000_000 };
pub const PRICE: Limit = Limit { what: "units of money an hour", min: 0, max: 1_000_000_000 };

/// A range of whole numbers, and what they count.
#[derive(Debug)]
pub struct Limit {
    pub what: &'static str,
    pub min: u64,
    pub max: u64,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} from {} to {}", self.what, self.min, self.max)
    }
}

impl Limit {
    /// Returns whether a number is within it.
    pub fn has(&self, value: u64) -> bool {
        (self.min..=self.max).contains(&value)
    }

    /// Says what is wrong with a number that is not within it, or with a text that is no number.
    pub fn complaint(&self, found: &str) -> String {
        let why = match found.parse::<f64>() {
            Ok(number) if number < self.min as f64 => format!("is below {}", self.min),
            Ok(number) if number > self.max as f64 => format!("is above {}", self.max),
            _ => "is no whole number".to_owned(),
        };
        format!("'{}' {why}; expected {self}", shown(found))
    }

    fn check(&self, field: &str, value: impl Into<u64>) -> Result<(), Wrong> {
        let value = value.into();
        if self.has(value) { Ok(()) } else { Err(Wrong::new(field, self.complaint(&value.to_string()))) }
    }
}

/// What is wrong with a line, and in which field of it.
#[derive(Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The field, if it is about one.
    pub field: Option<String>,
    /// What was found, and what was expected.
    pub message: String,
}

impl Wrong {
    pub fn new(field: &str, message: impl Into<String>) -> Self {
        Self { field: Some(field.to_owned()), message: message.into() }
    }

    fn sentence(self) -> String {
        match self.field {
            Some(field) => format!("{field}: {}", self.message),
            None => self.message,
        }
    }

    /// Makes one about a whole line.
    pub fn line(message: impl Into<String>) -> Self {
        Self { field: None, message: message.into() }
    }
}

/// Returns the begin of a text, for a message of one line.
pub fn shown(text: &str) -> String {
    const CHARACTERS_MAX: usize = 40;
    let mut characters = text.chars();
    let mut begin = String::new();
    for character in characters.by_ref().take(CHARACTERS_MAX) {
        match character {
            '"' | '\'' | '\\' => begin.push(character),
            _ => begin.extend(character.escape_debug()),
        }
    }
    if characters.next().is_some() { begin + "..." } else { begin }
}

/// Returns whether a text can be a name.
pub fn is_name(text: &str) -> bool {
    !text.is_empty() && text.len() <= NAME_BYTES_MAX && !text.chars().any(char::is_control)
}

/// What a name is, for messages.
pub const NAME_EXPECTED: &str = "a name of 1 to 256 bytes without control characters";

pub fn name(field: &str, text: &str) -> Result<(), Wrong> {
    if is_name(text) {
        return Ok(());
    }
    Err(Wrong::new(field, format!("'{}' is no name; expected {NAME_EXPECTED}", shown(text))))
}

/// Checks the name of a pool, so that a policy can say what it promises.
fn pool(text: &str) -> Result<(), Wrong> {
    if is_name_in_policies(text) {
        return Ok(());
    }
    Err(Wrong::new("pool", format!("'{}' is no name; expected {}", shown(text), expected_name())))
}

pub fn head(head: &Head) -> Result<(), Wrong> {
    name("name", &head.name)?;
    for (field, text, max) in
        [("made_by", &head.made_by, NAME_BYTES_MAX), ("note", &head.note, NOTE_BYTES_MAX)]
    {
        if text.len() > max || text.chars().any(char::is_control) {
            let expected = format!("expected a text of up to {max} bytes without control characters");
            return Err(Wrong::new(field, format!("'{}' cannot be used; {expected}", shown(text))));
        }
    }
    Ok(())
}

/// Checks records one after the other.
#[derive(Default)]
pub struct Checker {
    now_ms: u64,
    hosts: BTreeSet<String>,
    changes: u64,
    jobs: u64,
    pools: BTreeSet<String>,
    clusters: BTreeSet<String>,
    labels: BTreeSet<String>,
}

impl Checker {
    pub fn records(&self) -> u64 {
        self.hosts.len() as u64 + self.changes + self.jobs
    }

    pub fn check(&mut self, record: &Record) -> Result<(), Wrong> {
        let at_ms = record.at_ms();
        AT_MS.check("at_ms", at_ms)?;
        if at_ms < self.now_ms {
            let before = format!("is before the record above, which is at {}", self.now_ms);
            return Err(Wrong::new("at_ms", format!("'{at_ms}' {before}; sort the records by time")));
        }
        match record {
            Record::Host(host) => self.host(host)?,
            Record::Change(change) => self.change(change)?,
            Record::Job(job) => self.job(job)?,
        }
        self.now_ms = at_ms;
        Ok(())
    }

    fn host(&mut self, host: &HostRecord) -> Result<(), Wrong> {
        host_values(host)?;
        at_most("host", self.hosts.len() as u64, HOSTS_MAX, "hosts")?;
        if self.hosts.contains(&host.name) {
            let message = format!("'{}' came before; give each host a name of its own", shown(&host.name));
            return Err(Wrong::new("host", message));
        }
        self.labels("labels", &host.labels)?;
        self.hosts.insert(host.name.clone());
        keep(&mut self.pools, &host.pool);
        keep(&mut self.clusters, &host.cluster);
        Ok(())
    }

    fn change(&mut self, change: &ChangeRecord) -> Result<(), Wrong> {
        at_most("change", self.changes, CHANGES_MAX, "changes of hosts")?;
        if !self.hosts.contains(&change.host) {
            let message = format!("no host '{}' comes before it; name a host above", shown(&change.host));
            return Err(Wrong::new("change", message));
        }
        self.changes += 1;
        Ok(())
    }

    fn job(&mut self, job: &JobRecord) -> Result<(), Wrong> {
        job_values(job)?;
        known("pool", job.pool.as_deref(), &self.pools)?;
        known("cluster", job.cluster.as_deref(), &self.clusters)?;
        if let Some(host) = job.host.as_deref().filter(|host| !self.hosts.contains(*host)) {
            let message =
                format!("no host '{}' comes before it; add it above, or leave the field out", shown(host));
            return Err(Wrong::new("host", message));
        }
        at_most("job", self.jobs, JOBS_MAX, "jobs")?;
        self.labels("needs", &job.needs)?;
        self.jobs += 1;
        Ok(())
    }

    fn labels(&mut self, field: &str, labels: &[String]) -> Result<(), Wrong> {
        labels.iter().try_for_each(|label| name(field, label))?;
        let new: BTreeSet<_> = labels.iter().filter(|label| !self.labels.contains(*label)).collect();
        // The same label again and again would make a line longer than a reader takes.
        if labels.len() > LABELS_MAX || self.labels.len() + new.len() > LABELS_MAX {
            let message = format!("there are more than {LABELS_MAX} labels in the trace; use fewer");
            return Err(Wrong::new(field, message));
        }
        self.labels.extend(new.into_iter().cloned());
        Ok(())
    }
}

/// Checks what a host's record says by itself.
fn host_values(host: &HostRecord) -> Result<(), Wrong> {
    name("host", &host.name)?;
    pool(&host.pool)?;
    name("cluster", &host.cluster)?;
    CPU_MILLI.check("cpu_milli", host.cpu_milli)?;
    MEMORY_MIB.check("memory_mib", host.memory_mib)?;
    NUMA_NODES.check("numa_nodes", host.numa_nodes)?;
    THREADS.check("threads", host.threads)?;
    NOISE_PERMILLE.check("noise_permille", host.noise_permille.unwrap_or(0))?;
    PRICE.check("price", host.price)
}

/// Checks what a job's record says by itself.
fn job_values(job: &JobRecord) -> Result<(), Wrong> {
    name("job", &job.name)?;
    CPU_MILLI.check("cpu_milli", job.cpu_milli)?;
    MEMORY_MIB.check("memory_mib", job.memory_mib)?;
    NOISE_PERMILLE.check("noise_max_permille", job.noise_max_permille.unwrap_or(0))?;
    job.for_ms.map_or(Ok(()), |for_ms| FOR_MS.check("for_ms", for_ms))?;
    job.service.as_deref().map_or(Ok(()), |service| name("service", service))?;
    uses(job)
}

/// Checks a host's record that is in no trace yet; says what is wrong with which field.
pub fn check_host(host: &HostRecord) -> Result<(), String> {
    host_values(host).map_err(Wrong::sentence)
}

/// Checks a job's record that is in no trace yet; says what is wrong with which field.
pub fn check_job(job: &JobRecord) -> Result<(), String> {
    job_values(job).map_err(Wrong::sentence)
}

fn at_most(field: &str, count: u64, max: u64, what: &str) -> Result<(), Wrong> {
    if count < max {
        return Ok(());
    }
    Err(Wrong::new(field, format!("there are more than {max} {what}; make the trace smaller")))
}

fn keep(known: &mut BTreeSet<String>, name: &str) {
    if !known.contains(name) {
        known.insert(name.to_owned());
    }
}

fn known(field: &str, name: Option<&str>, known: &BTreeSet<String>) -> Result<(), Wrong> {
    let Some(name) = name.filter(|name| !known.contains(*name)) else { return Ok(()) };
    let message = format!(
        "no host of {field} '{}' comes before it; add one above, or leave the field out",
        shown(name)
    );
    Err(Wrong::new(field, message))
}

fn uses(job: &JobRecord) -> Result<(), Wrong> {
    if job.uses.len() > USES_MAX {
        let message = format!("{} changes are more than {USES_MAX}; join some", job.uses.len());
        return Err(Wrong::new("use", message));
    }
    if let Some((first, _)) = job.uses.first().filter(|(first, _)| *first != 0) {
        return Err(Wrong::new(
            "use",
            format!("begins at offset '{first}'; expected 0, the start of the job"),
        ));
    }
    let mut before = None;
    for (offset, cpu_milli) in &job.uses {
        if before.is_some_and(|before| before >= *offset) {
            let message = format!("offset '{offset}' does not come after the one before; sort the offsets");
            return Err(Wrong::new("use", message));
        }
        if *offset >= job.for_ms.unwrap_or(TIME_MS_MAX) {
            let message =
                format!("offset '{offset}' is not before the job's end; leave it out, or make for_ms longer");
            return Err(Wrong::new("use", message));
        }
        USE_MILLI.check("use", *cpu_milli)?;
        before = Some(*offset);
    }
    Ok(())
}
