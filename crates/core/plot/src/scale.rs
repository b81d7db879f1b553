//! Converts values to positions on an axis.

/// Ticks closer than this many to an axis would be hard to read.
const TICKS_MAX: usize = 8;

/// A unit of an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    /// The name written after a number.
    pub name: &'static str,
    /// How much of the raw unit it is.
    pub size: f64,
}

/// An axis with the lowest and the highest value on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    low: f64,
    high: f64,
    step: f64,
    unit: Unit,
    length: f64,
}

impl Unit {
    /// The unit of counts.
    pub const COUNT: &'static [Self] = &[Self { name: "", size: 1.0 }];
    /// The units of values in ns.
    pub const TIME_NS: &'static [Self] = &[
        Self { name: "ns", size: 1.0 },
        Self { name: "us", size: 1e3 },
        Self { name: "ms", size: 1e6 },
        Self { name: "s", size: 1e9 },
    ];

    /// Returns the largest unit of which the value is at least one, or else the smallest unit.
    ///
    /// # Panics
    /// When there are no units.
    pub fn fitting(units: &[Self], value: f64) -> Self {
        assert!(!units.is_empty(), "an axis needs a unit");
        units.iter().rev().find(|unit| unit.size <= value.abs()).copied().unwrap_or(units[0])
    }
}

impl Scale {
    /// Makes an axis of this length that holds all values; both ends are round numbers.
    pub fn around(values: impl IntoIterator<Item = f64>, units: &[Unit], length: f64) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.into_iter().filter(|value| value.is_finite()) {
            low = low.min(value);
            high = high.max(value);
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        if low == high {
            // A single value gets a margin of one per cent on either side.
            let room = if low == 0.0 { 1.0 } else { low.abs() / 100.0 };
            (low, high) = (low - room, high + room);
        }
        let unit = Unit::fitting(units, high.abs().max(low.abs()));
        let step = round_step((high - low) / unit.size / (TICKS_MAX - 1) as f64) * unit.size;
        Self { low: (low / step).floor() * step, high: (high / step).ceil() * step, step, unit, length }
    }

    /// Makes an axis of this length between two values, for ticks chosen by the caller.
    pub fn between(low: f64, high: f64, length: f64) -> Self {
        Self { low, high, step: high - low, unit: Unit::COUNT[0], length }
    }

    /// Returns where on the axis a value stands, from 0 to the axis' length.
    pub fn place(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low) * self.length
    }

    /// Returns the unit of the ticks' labels.
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// Lists the ticks: value and label.
    pub fn ticks(&self) -> Vec<(f64, String)> {
        let count = ((self.high - self.low) / self.step).round() as usize;
        let in_unit = self.step / self.unit.size;
        let decimals = (-in_unit.log10()).ceil().max(0.0) as usize;
        (0..=count)
            .map(|at| {
                let value = self.low + self.step * at as f64;
                (value, format!("{:.decimals$}", value / self.unit.size))
            })
            .collect()
    }
}

/// Returns the next step of 1, 2 or 5 times a power of ten.
fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    // A rounding error must not enlarge a step that is already round.
    let factor =
        [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= least * (1.0 - 1e-9)).unwrap_or(10.0);
    factor * power
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(values: &[f64]) -> String {
        let scale = Scale::around(values.iter().copied(), Unit::TIME_NS, 100.0);
        let labels: Vec<_> = scale.ticks().into_iter().map(|(_, label)| label).collect();
        format!("{} {}", labels.join(" "), scale.unit().name)
    }

    #[test]
    fn ticks_are_round_and_hold_every_value() {
        assert_eq!(labels(&[101.3e6, 103.9e6]), "101.0 101.5 102.0 102.5 103.0 103.5 104.0 ms");
        assert_eq!(labels(&[0.0, 1e9]), "0.0 0.2 0.4 0.6 0.8 1.0 s");
        assert_eq!(labels(&[999e6, 1001e6]), "0.9990 0.9995 1.0000 1.0005 1.0010 s");
        assert_eq!(labels(&[812.0, 1_250.0]), "0.8 0.9 1.0 1.1 1.2 1.3 us");
        assert_eq!(labels(&[5e6]), "4.94 4.96 4.98 5.00 5.02 5.04 5.06 ms");
        assert_eq!(labels(&[]), "0.0 0.2 0.4 0.6 0.8 1.0 ns");
    }

    #[test]
    fn places_lie_on_the_axis() {
        let scale = Scale::around([10.0, 90.0], Unit::TIME_NS, 200.0);
        assert_eq!(scale.ticks().first().map(|(value, _)| scale.place(*value)), Some(0.0));
        assert_eq!(scale.ticks().last().map(|(value, _)| scale.place(*value)), Some(200.0));
        assert_eq!(scale.place(50.0), 100.0);
    }
}
