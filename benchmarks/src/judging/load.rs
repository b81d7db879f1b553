//! When submissions come.

use std::time::Duration;

/// The most of the World Finals 2024 (ICPC World Finals 47) within a minute, and within ten seconds of it.
const FINALS_PER_MINUTE: u32 = 80;
const FINALS_PER_10_S: u32 = 23;

pub struct Load {
    /// Each, from the begin.
    pub at: Vec<Duration>,
}

impl Load {
    /// Returns the fullest minute of the World Finals, `times` times as full: the fullest ten seconds come first.
    pub fn finals(times: u32) -> Self {
        let (first, rest) = (FINALS_PER_10_S * times, (FINALS_PER_MINUTE - FINALS_PER_10_S) * times);
        let spread = |count: u32, from: Duration, span: Duration| {
            (0..count).map(move |number| from + span * number / count)
        };
        let ten = Duration::from_secs(10);
        let at = spread(first, Duration::ZERO, ten).chain(spread(rest, ten, ten * 5));
        Self { at: at.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_finals_have_80_in_a_minute_and_23_in_ten_seconds() {
        let load = Load::finals(1);
        assert_eq!(load.at.len(), 80);
        assert_eq!(load.at.iter().filter(|at| **at < Duration::from_secs(10)).count(), 23);
        assert!(load.at.iter().all(|at| *at < Duration::from_secs(60)));
    }
}
