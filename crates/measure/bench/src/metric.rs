//! Which time is compared.

use super::Series;

/// Which time of the runs is compared, sorted by and drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Metric {
    /// User and system time.
    #[default]
    Cpu,
    /// Wall-clock time.
    Wall,
    /// Both; where only one can be, it is CPU time.
    Both,
}

impl Metric {
    /// Returns the single times that it consists of, the first one first.
    pub fn parts(self) -> &'static [Metric] {
        match self {
            Self::Cpu => &[Self::Cpu],
            Self::Wall => &[Self::Wall],
            Self::Both => &[Self::Cpu, Self::Wall],
        }
    }

    /// Returns the first of its times, in ns.
    pub fn times_ns(self, series: &Series) -> Vec<f64> {
        match self {
            Self::Cpu | Self::Both => series.cpu_times_ns(),
            Self::Wall => series.wall_times_ns(),
        }
    }

    /// Returns its word on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Wall => "wall",
            Self::Both => "both",
        }
    }
}
