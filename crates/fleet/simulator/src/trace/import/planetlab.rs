//! CPU load of virtual machines on PlanetLab, with a value every five minutes: a file a day with a row a machine, or, as CloudSim
//! ships it, a file for each machine with a line for each value.

use super::table::{ROW_BYTES_MAX, SourceLine, Table};
use super::{About, ImportError, Input, MIB_PER_GIB, MadeUpHosts, Summary};
use crate::trace::check::{CPU_MILLI, HOSTS_MAX, Limit, MEMORY_MIB, shown};
use crate::trace::unpacked::{Unpacked, read_line};
use crate::trace::{Head, JobRecord, Record, Writer};
use located::FileLocation;
use placement::Amount;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::io::{BufRead, Write};

const VALUES: usize = 288;
const STEP_MS: u64 = 5 * 60 * 1000;
const DAY_MS: u64 = VALUES as u64 * STEP_MS;
/// Most days: a year.
const DAYS_MAX: usize = 366;
/// Most machines on all days: they are held in memory, where each takes some 500 bytes.
const MACHINES_MAX: usize = 1_000_000;
/// Machines arrive within the day's first half at the latest, so that each has a load.
const SPREAD_MINUTES_MAX: u32 = 12 * 60;
const PERCENT: Limit = Limit { what: "per cent of a CPU", min: 0, max: 100 };

/// What the source does not contain.
#[derive(Clone, Debug)]
pub struct Options {
    /// The hosts. Without a number: as many that the busiest day requests `allocation_permille` of their CPUs.
    pub hosts: MadeUpHosts,
    /// CPUs that jobs request, in thousandths of those that the hosts have.
    pub allocation_permille: u32,
    /// CPUs that a machine may request. The hash of its name decides which, so it is the same on each day.
    pub requests: Vec<u32>,
    /// Memory that it requests for each CPU.
    pub memory_mib_per_cpu: u32,
    /// Machines arrive within this many minutes of a day's begin, which the hash of their names decides.
    pub spread_minutes: u32,
}

impl Default for Options {
    /// Memory does not decide what fits: four times the hosts' CPUs request half of their memory.
    fn default() -> Self {
        Self {
            hosts: MadeUpHosts::default(),
            allocation_permille: 4000,
            requests: vec![1, 2, 4, 8],
            memory_mib_per_cpu: MIB_PER_GIB / 2,
            spread_minutes: 0,
        }
    }
}

#[derive(Debug)]
pub enum Day<R> {
    /// A table with a row for each machine.
    Table(Input<R>),
    /// The names of machines, each with a file of its loads.
    Machines(Vec<(String, Input<R>)>),
}

struct Machine {
    name: String,
    cpus: u32,
    arrival_ms: u64,
    load_percent: [u8; VALUES],
}

/// Makes a trace of consecutive days.
pub fn import<R: BufRead, W: Write>(
    days: Vec<Day<R>>,
    options: &Options,
    about: &About,
    target: W,
) -> Result<Summary, ImportError> {
    check(options, days.len())?;
    let (mut all, mut machines) = (Vec::new(), 0);
    for day in days {
        let read = read_day(day, options, MACHINES_MAX - machines)?;
        machines += read.len();
        all.push(read);
    }
    let hosts = count_hosts(options, &all)?;
    let About { name, made_by } = about.clone();
    let head = Head { name, made_by, separate_days: true, note: note(options, hosts) };
    let mut writer = Writer::create(target, &head)?;
    options.hosts.write(hosts, &mut writer)?;
    for (day, machines) in (0..).zip(&all) {
        for machine in machines {
            writer.write(&Record::Job(machine.job(day, options)))?;
        }
    }
    writer.finish()?;
    Ok(Summary { hosts, jobs: machines as u64, remarks: Vec::new() })
}

fn check(options: &Options, days: usize) -> Result<(), ImportError> {
    let refuse = |option, message: String| Err(ImportError::Option { option, message });
    if !(1..=DAYS_MAX).contains(&days) {
        return refuse("files", format!("'{days}' days cannot be used; expected 1 to {DAYS_MAX}"));
    }
    if options.requests.is_empty() {
        return refuse(
            "requests",
            "nothing is requested; expected numbers of CPUs, such as 1,2,4,8".to_owned(),
        );
    }
    for cpus in &options.requests {
        if !CPU_MILLI.has(u64::from(*cpus) * 1000) {
            return refuse(
                "requests",
                format!("'{cpus}' CPUs cannot be requested; expected 1 to {}", CPU_MILLI.max / 1000),
            );
        }
        if !MEMORY_MIB.has(u64::from(*cpus) * u64::from(options.memory_mib_per_cpu)) {
            let message = format!(
                "'{}' for {cpus} CPUs is too much; expected {MEMORY_MIB} in all",
                options.memory_mib_per_cpu
            );
            return refuse("memory-mib-per-cpu", message);
        }
    }
    if options.allocation_permille == 0 {
        return refuse(
            "allocation-permille",
            "'0' would take hosts without end; expected 1 or more".to_owned(),
        );
    }
    if options.spread_minutes > SPREAD_MINUTES_MAX {
        let message =
            format!("'{}' is above {SPREAD_MINUTES_MAX}; expected minutes from 0", options.spread_minutes);
        return refuse("spread-minutes", message);
    }
    options.hosts.check().map(|_| ())
}

fn read_day<R: BufRead>(day: Day<R>, options: &Options, max: usize) -> Result<Vec<Machine>, ImportError> {
    let mut machines = match day {
        Day::Table(table) => read_table(table, options, max)?,
        Day::Machines(files) => files
            .into_iter()
            .enumerate()
            .map(|(count, (name, file))| {
                let place = SourceLine { file: file.name.clone(), line: 1 };
                place.rows_at_most(count, max)?;
                Ok(Machine::new(place.name("name", &name)?, read_machine(file)?, options))
            })
            .collect::<Result<_, ImportError>>()?,
    };
    machines.sort_by_key(|machine| machine.arrival_ms);
    Ok(machines)
}

fn read_table<R: BufRead>(
    table: Input<R>,
    options: &Options,
    max: usize,
) -> Result<Vec<Machine>, ImportError> {
    let mut table = Table::open(table)?;
    let (mut machines, mut names) = (Vec::new(), BTreeSet::new());
    while table.advance()? {
        if table.row().len() == 1 {
            let message = "has one field; expected the name of a machine, and its load every 5 minutes of a day. If the file is of \
                           one machine, give the folder with the files of that day";
            return Err(table.place().row(message));
        }
        table.expect_fields(VALUES + 1, "the name of a machine, and its load every 5 minutes of a day")?;
        table.place().rows_at_most(machines.len(), max)?;
        let mut values = table.row().iter();
        let name = table.place().name("name", values.next().unwrap_or_default())?;
        if !names.insert(name.clone()) {
            let message = format!("'{}' came before; expected a row for each machine", shown(&name));
            return Err(table.place().field("name", message));
        }
        let mut loads = [0; VALUES];
        for (number, (load, text)) in (1..).zip(loads.iter_mut().zip(values)) {
            // The field is named only where it is needed: there are hundreds a row.
            *load = percent(text)
                .ok_or_else(|| table.place().field(&format!("value {number}"), PERCENT.complaint(text)))?;
        }
        machines.push(Machine::new(name, loads, options));
    }
    Ok(machines)
}

/// Reads the file of a machine: a load on each line.
fn read_machine<R: BufRead>(file: Input<R>) -> Result<[u8; VALUES], ImportError> {
    let mut place = SourceLine { file: file.name, line: 1 };
    let mut source = Unpacked::new(file.reader).map_err(|error| place.read(error))?;
    let (mut loads, mut count, mut buffer) = ([0; VALUES], 0, Vec::new());
    loop {
        read_line(&mut source, &mut buffer, ROW_BYTES_MAX).map_err(|error| place.read(error))?;
        if buffer.is_empty() {
            break;
        }
        let line = String::from_utf8_lossy(&buffer);
        let text = line.trim();
        if !text.is_empty() {
            let load = percent(text).ok_or_else(|| place.field("load", PERCENT.complaint(text)))?;
            if let Some(place) = loads.get_mut(count) {
                *place = load;
            }
            count += 1;
        }
        place.line += 1;
    }
    if count == VALUES {
        return Ok(loads);
    }
    let message =
        format!("has {count} loads; expected {VALUES}, one for every 5 minutes of a day, a line each");
    Err(ImportError::at(FileLocation::file(place.file), message))
}

fn percent(text: &str) -> Option<u8> {
    text.parse().ok().filter(|load| PERCENT.has(u64::from(*load)))
}

fn count_hosts(options: &Options, days: &[Vec<Machine>]) -> Result<u64, ImportError> {
    if let Some(count) = options.hosts.count {
        return Ok(count.into());
    }
    let requested = |day: &Vec<Machine>| day.iter().map(|machine| u64::from(machine.cpus)).sum::<u64>();
    let cpus = days.iter().map(requested).max().unwrap_or(0);
    let a_host = u64::from(options.hosts.cpus) * u64::from(options.allocation_permille);
    let count = (cpus * 1000).div_ceil(a_host).max(1);
    if count > HOSTS_MAX {
        let message =
            format!("{count} hosts would be needed, and {HOSTS_MAX} are the most; allow more for each");
        return Err(ImportError::Option { option: "allocation-permille", message });
    }
    Ok(count)
}

fn note(options: &Options, hosts: u64) -> String {
    let requests: Vec<_> = options.requests.iter().map(u32::to_string).collect();
    format!(
        "PlanetLab, CPU load of virtual machines. Made up: {}; requests of {} CPUs, which the hash of the machine's name \
         decides, with {} MiB for each CPU; loads are shares of the request; machines arrive within the first {} minutes \
         of a day and stay to its end; files are consecutive days.",
        options.hosts.note(hosts),
        requests.join(", "),
        options.memory_mib_per_cpu,
        options.spread_minutes
    )
}

impl Machine {
    /// Makes up what the source does not have by the hash of the name.
    fn new(name: String, load_percent: [u8; VALUES], options: &Options) -> Self {
        let hash = Sha256::digest(name.as_bytes());
        let drawn = |half: usize, end: u64| {
            let bytes: [u8; 8] = hash[half * 8..][..8].try_into().expect("a hash has 32 bytes");
            u64::from_le_bytes(bytes) % end
        };
        let cpus = options.requests[drawn(0, options.requests.len() as u64) as usize];
        let arrival_ms = drawn(1, (u64::from(options.spread_minutes) * 60_000).max(1));
        Self { name, cpus, arrival_ms, load_percent }
    }

    fn job(&self, day: u64, options: &Options) -> JobRecord {
        let request =
            Amount { cpu_milli: self.cpus * 1000, memory_mib: self.cpus * options.memory_mib_per_cpu };
        let name = format!("{}@{}", self.name, day + 1);
        let mut job = JobRecord::new(name, day * DAY_MS + self.arrival_ms, request);
        job.service = Some(self.name.clone());
        job.for_ms = Some(DAY_MS - self.arrival_ms);
        let begun = (self.arrival_ms / STEP_MS) as usize;
        for (step, load) in (0..).zip(self.load_percent).skip(begun) {
            let cpu_milli = self.cpus * 10 * u32::from(load);
            // The load at the arrival is that of the five minutes in which it lies.
            let offset = (step * STEP_MS).saturating_sub(self.arrival_ms);
            if job.uses.last().is_none_or(|(_, before)| *before != cpu_milli) {
                job.uses.push((offset, cpu_milli));
            }
        }
        job
    }
}
