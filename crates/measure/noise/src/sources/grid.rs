//! A grid of times, fitted to detours: begin, period and drift.

/// Times `a + b k + c k^2` for whole k around 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Grid {
    pub origin_ns: f64,
    pub period_ns: f64,
    pub bend_ns: f64,
}

/// A line bends only where it has this many detours, or it would bend after their jitter.
const BENT_FROM: usize = 60;
/// A window's phase is clear if this part of its teeth is there, beyond what chance puts there: behind 40 % of steal
/// those of a comb are.
const CLEAR_PART: f64 = 0.3;
/// A fit's second look leaves out what is farther off than this many deviations.
const CLIP: f64 = 4.0;
/// The deviation of a normal distribution by the median of distances.
const MAD_TO_DEVIATION: f64 = 1.4826;
/// The loop's own resolution: no fit is reported as better.
const CLIP_MIN_NS: f64 = 500.0;

impl Grid {
    pub fn at(&self, index: f64) -> f64 {
        self.origin_ns + index * (self.period_ns + index * self.bend_ns)
    }

    /// Returns the index that is nearest to a time: bends are slight, so two steps find it.
    pub fn index(&self, at_ns: f64) -> f64 {
        let mut index = (at_ns - self.origin_ns) / self.period_ns;
        for _ in 0..2 {
            let slope = self.period_ns + 2.0 * index * self.bend_ns;
            index -= (self.at(index) - at_ns) / slope;
        }
        index.round()
    }

    /// By how much the frequency rises over this many teeth, as a part of it.
    pub fn drift(&self, teeth: f64) -> f64 {
        -2.0 * self.bend_ns * teeth / self.period_ns
    }

    /// Returns the grid with this many times as many teeth.
    pub fn divided(self, parts: f64) -> Self {
        Self { period_ns: self.period_ns / parts, bend_ns: self.bend_ns / (parts * parts), ..self }
    }

    /// Returns whether its places are no farther than that from those of another grid, at begin, middle and end.
    pub fn is_within(&self, other: &Self, range: (i64, i64), width_ns: f64) -> bool {
        let (first, last) = (range.0 as f64, range.1 as f64);
        [first, (first + last) / 2.0, last]
            .iter()
            .all(|index| (self.at(*index) - other.at(*index)).abs() <= width_ns)
    }

    /// Finds the phase at which most detours of a short window fall, in each of several windows, the clearest first, where it is clear at all.
    pub fn seeds(starts: &[f64], period_ns: f64, half_ns: f64) -> Vec<Self> {
        /// After this many periods a period known by [`super::lags::follow`] is off by less than a bin.
        const TEETH: f64 = 100.0;
        const WINDOWS: usize = 12;
        let (Some(first), Some(last)) = (starts.first(), starts.last()) else { return Vec::new() };
        let length = (TEETH * period_ns).min(last - first);
        let step = (last - first - length) / (WINDOWS - 1) as f64;
        let teeth = (length / period_ns).max(1.0);
        let mut found: Vec<(usize, f64)> = Vec::new();
        let mut phases = Vec::new();
        for window in 0..WINDOWS {
            let begin = *first + step * window as f64;
            let from = starts.partition_point(|start| *start < begin);
            let to = starts.partition_point(|start| *start <= begin + length);
            phases.clear();
            phases.extend(starts[from..to].iter().map(|start| (start - begin).rem_euclid(period_ns)));
            phases.sort_by(f64::total_cmp);
            let count = phases.len();
            // Once more around, so that a phase next to 0 is not cut in two.
            phases.extend_from_within(..);
            for phase in &mut phases[count..] {
                *phase += period_ns;
            }
            let mut best: Option<(usize, f64)> = None;
            let mut low = 0;
            for high in 0..phases.len() {
                while phases[high] - phases[low] > half_ns {
                    low += 1;
                }
                let inside = high - low + 1;
                if best.is_none_or(|(most, _)| inside > most) {
                    let middle = phases[(low + high) / 2];
                    let halfway = ((length / 2.0) / period_ns).floor() * period_ns;
                    best = Some((inside, begin + middle + halfway));
                }
            }
            let by_chance = count as f64 * half_ns / period_ns;
            found.extend(best.filter(|(most, _)| *most as f64 >= CLEAR_PART * teeth + by_chance));
            if step <= 0.0 {
                break;
            }
        }
        found.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        found.into_iter().map(|(_, origin_ns)| Self { origin_ns, period_ns, bend_ns: 0.0 }).collect()
    }

    /// Fits the grid to what is near it, first around its origin, then ever farther until it spans all.
    pub fn fitted(mut self, starts: &[f64], half_ns: f64) -> Option<Self> {
        let (first, last) = (*starts.first()?, *starts.last()?);
        let mut reach = 25.0 * self.period_ns;
        let mut near = Vec::new();
        loop {
            let from = starts.partition_point(|start| *start < self.origin_ns - reach);
            let to = starts.partition_point(|start| *start <= self.origin_ns + reach);
            let mut clip_ns = half_ns;
            for _ in 0..2 {
                near.clear();
                near.extend(starts[from..to].iter().filter_map(|start| {
                    let index = self.index(*start);
                    let off = start - self.at(index);
                    (off.abs() <= clip_ns).then_some((index, off))
                }));
                if near.len() < 4 {
                    return None;
                }
                self = self.corrected(&near)?;
                let mut distances: Vec<f64> = near.iter().map(|(_, off)| off.abs()).collect();
                clip_ns =
                    (CLIP * MAD_TO_DEVIATION * stats::median_of(&mut distances)).clamp(CLIP_MIN_NS, half_ns);
            }
            if self.origin_ns - reach <= first && self.origin_ns + reach >= last {
                return Some(self);
            }
            reach *= 2.0;
        }
    }

    /// Adds the least-squares line or parabola through what the grid is off by.
    fn corrected(mut self, near: &[(f64, f64)]) -> Option<Self> {
        let scale = near.iter().map(|(index, _)| index.abs()).fold(1.0, f64::max);
        let order = if near.len() >= BENT_FROM { 3 } else { 2 };
        let mut sums = [[0.0; 4]; 3];
        for (index, off) in near {
            let x = index / scale;
            let powers = [1.0, x, x * x];
            for row in 0..order {
                for column in 0..order {
                    sums[row][column] += powers[row] * powers[column];
                }
                sums[row][3] += powers[row] * off;
            }
        }
        let found = solve(sums, order)?;
        self.origin_ns += found[0];
        self.period_ns += found[1] / scale;
        self.bend_ns += found[2] / (scale * scale);
        (self.period_ns > 0.0 && self.period_ns.is_finite() && self.bend_ns.is_finite()).then_some(self)
    }
}

/// Gauss with pivots; none where the equations do not decide.
fn solve(mut rows: [[f64; 4]; 3], order: usize) -> Option<[f64; 3]> {
    for column in 0..order {
        let pivot =
            (column..order).max_by(|a, b| rows[*a][column].abs().total_cmp(&rows[*b][column].abs()))?;
        rows.swap(column, pivot);
        if rows[column][column].abs() < 1e-12 {
            return None;
        }
        for row in column + 1..order {
            let factor = rows[row][column] / rows[column][column];
            let above = rows[column];
            for (value, above) in rows[row].iter_mut().zip(above).skip(column) {
                *value -= factor * above;
            }
        }
    }
    let mut found = [0.0; 3];
    for row in (0..order).rev() {
        let known: f64 = (row + 1..order).map(|at| rows[row][at] * found[at]).sum();
        found[row] = (rows[row][3] - known) / rows[row][row];
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drifting_grid_is_fitted_from_a_rough_seed() {
        let truth = Grid { origin_ns: 350_000.0, period_ns: 1_000_100.0, bend_ns: -0.002 };
        let starts: Vec<f64> = (0..10_000).map(|at| truth.at(f64::from(at))).collect();
        let found = Grid::seeds(&starts, 1_000_095.0, 15_000.0)[0].fitted(&starts, 15_000.0).unwrap();
        for (at, start) in starts.iter().enumerate().step_by(997) {
            let off = start - found.at(found.index(*start));
            assert!(off.abs() < 0.1, "{at}: {off}");
        }
        assert!((found.bend_ns - truth.bend_ns).abs() < 1e-6, "{found:?}");
    }
}
