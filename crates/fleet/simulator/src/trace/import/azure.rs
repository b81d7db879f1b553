//! How much the speed of rented machines differs: measurements of the Azure VM noise data set.

use super::table::Table;
use super::{ImportError, Input};
use crate::trace::check::{NOISE_PERMILLE, shown};
use documents::{SimNoiseGroup, SimSlowdown};
use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead;

/// Most measurements: each takes 8 bytes, and the name of its machine.
const ROWS_MAX: usize = 5_000_000;
const PERCENTS: [u32; 9] = [0, 1, 5, 25, 50, 75, 95, 99, 100];
/// What noise is taken at: the worst of a hundred.
const NOISE_PERCENT: u32 = 99;

/// The columns that a table of measurements needs.
pub const COLUMNS: [&str; 5] = ["vm_id", "size", "lifespan", "metric", "value"];

/// Measurements of machines of a size that were kept for as long.
#[derive(Clone, Debug, PartialEq)]
pub struct NoiseGroup {
    pub size: String,
    /// How long they were kept: `short` for one measurement each.
    pub lifespan: String,
    pub machines: u32,
    /// How fast they were, in order of time; more is faster. Never empty, above 0.
    pub values: Vec<f64>,
}

/// Reads measurements, and puts those of the same size and lifespan together.
pub fn read<R: BufRead>(input: Input<R>) -> Result<Vec<NoiseGroup>, ImportError> {
    let mut table = Table::open(input)?;
    let [machine, size, lifespan, metric, value] = table.columns(COLUMNS)?;
    let fields = table.row().len();
    let mut groups: BTreeMap<(String, String), (BTreeSet<String>, Vec<f64>)> = BTreeMap::new();
    let (mut first_metric, mut rows) = (None, 0);
    while table.advance()? {
        table.expect_fields(fields, &COLUMNS.join(", "))?;
        table.place().rows_at_most(rows, ROWS_MAX)?;
        rows += 1;
        let measured = first_metric.get_or_insert(table.name(metric)?);
        if measured != table.text(metric) {
            let found = shown(table.text(metric));
            return Err(table
                .wrong(metric, format!("'{found}' is another measure than above; expected '{measured}'")));
        }
        let text = table.text(value);
        let number = text.parse().ok().filter(|value: &f64| value.is_finite() && *value > 0.0);
        let number = number.ok_or_else(|| {
            table.wrong(value, format!("'{}' is no speed; expected a number above 0", shown(text)))
        })?;
        let (machines, values) = groups.entry((table.name(size)?, table.name(lifespan)?)).or_default();
        machines.insert(table.name(machine)?);
        values.push(number);
    }
    let group = |((size, lifespan), (machines, values)): (_, (BTreeSet<String>, _))| {
        let machines = u32::try_from(machines.len()).expect("there are at most as many as rows");
        NoiseGroup { size, lifespan, machines, values }
    };
    Ok(groups.into_iter().map(group).collect())
}

impl NoiseGroup {
    /// Returns its name: size and lifespan.
    pub fn name(&self) -> String {
        format!("{} {}", self.size, self.lifespan)
    }

    pub fn median(&self) -> f64 {
        let mut sorted = self.values.clone();
        sorted.sort_by(f64::total_cmp);
        let half = sorted.len() / 2;
        if sorted.len().is_multiple_of(2) {
            f64::midpoint(sorted[half - 1], sorted[half])
        } else {
            sorted[half]
        }
    }

    /// Returns how much longer than in the middle equal work took in each measurement, in thousandths, sorted. Where it was faster,
    /// the number is below 0.
    pub fn slowdowns_permille(&self) -> Vec<i32> {
        let median = self.median();
        let max = NOISE_PERMILLE.max as f64;
        let slowdown = |value: &f64| ((median / value - 1.0) * 1000.0).round().min(max) as i32;
        let mut slowdowns: Vec<i32> = self.values.iter().map(slowdown).collect();
        slowdowns.sort_unstable();
        slowdowns
    }

    /// Returns the noise of a host of this kind: the slowdown that one in a hundred measurements reaches, in thousandths.
    pub fn noise_permille(&self) -> u32 {
        at_percent(&self.slowdowns_permille(), NOISE_PERCENT).max(0).unsigned_abs()
    }

    /// Returns the figures of noise among which a host of this kind draws one: where each measurement is of another machine,
    /// the slowdown of each, else the noise of all.
    pub fn figures(&self) -> Vec<u32> {
        if self.machines as usize != self.values.len() {
            return vec![self.noise_permille()];
        }
        self.slowdowns_permille().into_iter().map(|slowdown| slowdown.max(0).unsigned_abs()).collect()
    }

    pub fn summary(&self) -> SimNoiseGroup {
        let sorted = self.slowdowns_permille();
        SimNoiseGroup {
            size: self.size.clone(),
            lifespan: self.lifespan.clone(),
            machines: self.machines,
            measurements: self.values.len() as u64,
            median: self.median(),
            slowdowns: PERCENTS
                .map(|percent| SimSlowdown { percent, permille: at_percent(&sorted, percent) })
                .to_vec(),
            noise_permille: self.noise_permille(),
        }
    }
}

/// Returns the least value that this percentage does not exceed.
pub(super) fn at_percent<T: Copy>(sorted: &[T], percent: u32) -> T {
    let rank = (sorted.len() * percent as usize).div_ceil(100);
    sorted[rank.saturating_sub(1)]
}
