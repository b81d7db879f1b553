//! A source of noise: what a decomposition finds and the propagation model takes.

/// When a source brings its detours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Occurrence {
    /// This many times a second, always after the same time.
    Periodic {
        /// How often, in Hz.
        frequency_hz: f64,
    },
    /// This many times a second on average, at times that do not depend on each other (a Poisson process).
    Random {
        /// How often on average, in Hz.
        rate_hz: f64,
    },
}

/// What brings detours of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    pub occurrence: Occurrence,
    /// How long its detours take, in nanoseconds: the value that the model uses where it takes one.
    pub length_ns: f64,
}

impl Source {
    /// Returns how often a second.
    pub fn frequency_hz(&self) -> f64 {
        match self.occurrence {
            Occurrence::Periodic { frequency_hz } => frequency_hz,
            Occurrence::Random { rate_hz } => rate_hz,
        }
    }

    /// Returns the part of all time that it takes: the article's 0.1 to 5 %.
    pub fn share(&self) -> f64 {
        self.frequency_hz() * self.length_ns / 1e9
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_frequency_times_length() {
        let tick = Source { occurrence: Occurrence::Periodic { frequency_hz: 1000.0 }, length_ns: 13_000.0 };
        assert!((tick.share() - 0.013).abs() < 1e-12);
    }
}
