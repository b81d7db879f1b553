//! The noise of made-up hosts, from machines that were measured.

use super::azure::{self, NoiseGroup, at_percent};
use super::table::SourceLine;
use super::{ImportError, Input};
use crate::trace::check::{NOISE_PERMILLE, shown};
use crate::trace::unpacked::Unpacked;
use ::noise::{Profile, QuantumTrace, format};
use located::FileLocation;
use model::counted;
use std::io::{BufRead, Read};

/// Longest file: an hour of a noisy machine, or the most measurements of Azure.
const FILE_BYTES_MAX: u64 = 1 << 30;
/// What distinguishes the kinds of files: the first row of a table.
const BEGIN_BYTES: u64 = 4096;
/// A profile is a map in CBOR, whose first byte is one of these; no text begins with them.
const CBOR_MAP: std::ops::RangeInclusive<u8> = 0xa0..=0xbf;
/// With fewer calls nothing is the worst of a hundred.
const CALLS_MIN: usize = 100;
/// The noise of a host is what one run in a hundred reaches.
const NOISE_PERCENT: u32 = 99;

/// Machines of one kind that were measured: made-up hosts draw their noise from them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostNoise {
    name: String,
    /// Never empty, in thousandths.
    figures: Vec<u32>,
}

impl HostNoise {
    /// Returns what they are, for the note of a trace.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns how much longer equal work takes on each in the worst of a hundred runs, in thousandths.
    pub fn figures(&self) -> &[u32] {
        &self.figures
    }
}

impl From<&NoiseGroup> for HostNoise {
    fn from(group: &NoiseGroup) -> Self {
        Self { name: group.name(), figures: group.figures() }
    }
}

/// Reads a profile of `tauto noise`, or Azure's measurements; the content decides which.
pub fn read<R: BufRead>(mut input: Input<R>) -> Result<Vec<HostNoise>, ImportError> {
    let place = SourceLine { file: input.name.clone(), line: 1 };
    let file = |message: String| ImportError::at(FileLocation::file(&place.file), message);
    let mut bytes = Vec::new();
    let read = input.reader.by_ref().take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes);
    read.map_err(|error| place.read(error))?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        let mib = FILE_BYTES_MAX >> 20;
        return Err(file(format!("is longer than {mib} MiB; expected a shorter measurement")));
    }
    let begin = begin(&bytes);
    if begin.first().is_some_and(|first| CBOR_MAP.contains(first)) {
        let profile = format::decode(&bytes).map_err(|error| file(error.to_string()))?;
        return of_profile(&profile).map(|noise| vec![noise]).map_err(file);
    }
    let row = begin.split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
    let row = String::from_utf8_lossy(row);
    if !azure::COLUMNS.iter().all(|column| row.split(',').any(|name| name.trim_matches('"') == *column)) {
        return Err(file(format!(
            "begins with '{}', expected a profile as 'tauto noise probe -o FILE' writes it, or a table with the columns {}",
            shown(&row),
            azure::COLUMNS.join(", ")
        )));
    }
    let groups = azure::read(Input { name: input.name, reader: &bytes[..] })?;
    if groups.is_empty() {
        return Err(file("has no measurements; expected rows below the names of the columns".to_owned()));
    }
    Ok(groups.iter().map(HostNoise::from).collect())
}

/// Returns how the content begins, without its compression.
fn begin(bytes: &[u8]) -> Vec<u8> {
    let mut begin = Vec::new();
    // What cannot be unpacked further is recognised by what has come so far.
    if let Ok(content) = Unpacked::new(bytes) {
        let _ = content.take(BEGIN_BYTES).read_to_end(&mut begin);
    }
    begin
}

/// Takes the noise of each CPU.
fn of_profile(profile: &Profile) -> Result<HostNoise, String> {
    let calls = profile.cpus.iter().filter_map(|cpu| cpu.quanta.known());
    let figures: Vec<u32> = calls.filter_map(noise_permille).collect();
    if figures.is_empty() {
        return Err(format!(
            "has no CPU with {CALLS_MIN} calls of equal work; measure with 'tauto noise probe' without '--calls 0'"
        ));
    }
    let processor = match profile.machine.processor.trim() {
        "" => "unknown processor".to_owned(),
        processor => shown(processor),
    };
    Ok(HostNoise { name: format!("{processor}, {}", counted(figures.len(), "CPU")), figures })
}

/// Returns how much longer than in the middle the call took that 99 of 100 did not exceed, in thousandths.
fn noise_permille(calls: &QuantumTrace) -> Option<u32> {
    let mut lengths: Vec<u64> = calls.lengths.iter().map(|ticks| ticks.0).collect();
    if lengths.len() < CALLS_MIN {
        return None;
    }
    lengths.sort_unstable();
    let half = lengths.len() / 2;
    let median = if lengths.len().is_multiple_of(2) {
        f64::midpoint(lengths[half - 1] as f64, lengths[half] as f64)
    } else {
        lengths[half] as f64
    };
    let slowdown = (at_percent(&lengths, NOISE_PERCENT) as f64 / median - 1.0) * 1000.0;
    // Calls without length were not measured.
    (median > 0.0).then(|| slowdown.round().clamp(0.0, NOISE_PERMILLE.max as f64) as u32)
}
