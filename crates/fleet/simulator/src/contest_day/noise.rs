//! What slows a place down, and how much of that the evidence shows.

use super::azure::GROUPS;
use super::quantiles::{ONE, Quantiles};
use model::{Nanos, Slowdown};
use stats::Dice;

/// How long a disturbance lasts on average unless the file says it: phases of core contention lasted from milliseconds to two
/// minutes on a shared virtual machine.
pub const LASTS_USUAL: Nanos = Nanos::from_millis(2_000);
/// How long a test of the Azure measurements took: what it found holds for at least as long.
const AZURE_LASTS: Nanos = Nanos::from_millis(90_000);

/// How the machines of a pool are disturbed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noise {
    /// How much longer a program takes than at best, in millionths.
    pub slowdown: Quantiles,
    /// How long one drawn value holds on a place, on average; `None` if it is the machine's own and never changes.
    pub lasts: Option<Nanos>,
    /// The share of disturbances that the evidence shows, in millionths.
    pub seen: u32,
}

impl Noise {
    /// Returns the noise of a group of Azure's measurements by its name, such as `D8s_v5 short`. A test of this kind shows no
    /// cause, so no disturbance is seen unless the caller changes that.
    pub fn azure(name: &str) -> Option<Self> {
        let group = GROUPS.iter().find(|group| group.name == name)?;
        let points =
            (0u32..).map(|percent| percent * 10_000).zip(group.ppm.iter().map(|ppm| u64::from(*ppm)));
        let slowdown = Quantiles::new(points.collect())?;
        Some(Self { slowdown, lasts: (!group.is_of_machines).then_some(AZURE_LASTS), seen: 0 })
    }

    pub fn azure_names() -> impl Iterator<Item = &'static str> {
        GROUPS.iter().map(|group| group.name)
    }
}

/// The disturbances of one place in the course of time. Time only goes forward.
#[derive(Debug)]
pub struct Phases {
    noise: Noise,
    dice: Dice,
    /// When the present phase ends; `None` if it never does.
    until: Option<Nanos>,
    slowdown: u64,
    is_seen: bool,
}

/// One run through the disturbances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ran {
    /// How long it took.
    pub time: Nanos,
    /// What the worse of a look before it and one after it shows.
    pub shown: Slowdown,
}

impl Phases {
    /// Makes the disturbances that follow from a seed, from time 0.
    pub fn new(noise: Noise, seed: u64) -> Self {
        let mut phases =
            Self { noise, dice: Dice::new(seed), until: Some(Nanos::ZERO), slowdown: 0, is_seen: false };
        phases.go_to(Nanos::ZERO);
        phases
    }

    fn go_to(&mut self, now: Nanos) {
        while let Some(until) = self.until
            && until <= now
        {
            self.slowdown = self.noise.slowdown.draw(&mut self.dice);
            self.is_seen = self.dice.below(ONE as usize) < self.noise.seen as usize;
            // Evenly between nothing and twice the average.
            self.until =
                self.noise.lasts.map(|lasts| until + Nanos(1 + self.dice.below(2 * lasts.0 as usize) as u64));
        }
    }

    /// Returns what a look at the core shows at an instant.
    pub fn look(&mut self, now: Nanos) -> Slowdown {
        self.go_to(now);
        let permille = u32::try_from(self.slowdown / 1000).unwrap_or(u32::MAX);
        Slowdown(if self.is_seen { permille } else { 0 })
    }

    /// Runs a program that takes this long at best, up to a limit on its time.
    pub fn run(&mut self, now: Nanos, at_best: Nanos, limit: Nanos) -> Ran {
        let before = self.look(now);
        let (mut left, mut time) = (at_best, Nanos::ZERO);
        while left > Nanos::ZERO && time < limit {
            self.go_to(now + time);
            let one = u128::from(ONE);
            let stretch = one + u128::from(self.slowdown);
            let needed = (u128::from(left.0) * stretch).div_ceil(one);
            let there_is = self.until.map_or(u128::MAX, |until| u128::from((until - (now + time)).0));
            let lasts = needed.min(there_is).min(u128::from((limit - time).0));
            let done = if lasts == needed { u128::from(left.0) } else { lasts * one / stretch };
            // Both fit: neither is above what is left of a time.
            left = Nanos(left.0 - done as u64);
            time = time + Nanos(lasts as u64);
        }
        Ran { time, shown: before.max(self.look(now + time)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(points: &[(u32, u64)], lasts_ms: Option<u64>, seen: u32) -> Noise {
        let slowdown = Quantiles::new(points.to_vec()).unwrap();
        Noise { slowdown, lasts: lasts_ms.map(Nanos::from_millis), seen }
    }

    #[test]
    fn a_run_takes_as_much_longer_as_its_place_is_slower() {
        let ms = Nanos::from_millis;
        let mut always = Phases::new(noise(&[(0, 250_000), (ONE, 250_000)], None, ONE), 1);
        let ran = Ran { time: ms(1250), shown: Slowdown(250) };
        assert_eq!(always.run(ms(7), ms(1000), ms(5000)), ran);
        assert_eq!(always.run(ms(1257), ms(1000), ms(1100)).time, ms(1100), "a limit ends it");
        let mut unseen = Phases::new(noise(&[(0, 250_000), (ONE, 250_000)], Some(10), 0), 1);
        let in_parts = unseen.run(ms(0), ms(1000), ms(5000));
        // Each phase rounds by a nanosecond.
        assert!(
            in_parts.time >= ran.time && in_parts.time - ran.time < Nanos::from_micros(1),
            "{in_parts:?}"
        );
        assert_eq!(in_parts.shown, Slowdown(0));
    }

    #[test]
    fn a_long_run_sees_the_average_of_many_phases() {
        let ms = Nanos::from_millis;
        let mut phases = Phases::new(noise(&[(0, 0), (ONE, 200_000)], Some(5), ONE), 1);
        let time = phases.run(ms(0), ms(100_000), ms(1_000_000)).time;
        assert!((ms(109_500)..ms(110_500)).contains(&time), "{time}");
    }

    #[test]
    fn the_groups_of_azure_are_distributions() {
        for name in Noise::azure_names() {
            let noise = Noise::azure(name).expect("its percentiles ascend from 0");
            assert_eq!(noise.slowdown.at(0), 0, "{name}");
        }
        let long = Noise::azure("D8s_v5 long").unwrap();
        assert_eq!((long.slowdown.at(500_000), long.slowdown.at(990_000)), (991, 1920));
        assert_eq!(Noise::azure("D8s_v5"), None);
    }
}
