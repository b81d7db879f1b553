//! The steps of the ladder.

use crate::CpuTerms;

/// The article's mean of the first steps in ms: its last mean is 10 s, about 25 % more than before.
pub const ARTICLE_MEAN_MS: f64 = 8000.0;
/// The article's mean once frequency changes are off, in ms.
pub const ARTICLE_MEAN_LATE_MS: f64 = 10_000.0;

/// One step of the ladder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// No measures, no load.
    Plain,
    /// No measures, under load.
    PlainLoaded,
    /// Bound to a CPU by affinity, under load.
    Pinned,
    /// A dedicated CPU, no load.
    Leased,
    /// A dedicated CPU, under load.
    LeasedLoaded,
    /// The same with the machine's settings changed.
    Tuned,
    /// The same with memory of the nearest NUMA node.
    OneNode,
    /// The best of the above, repeated until the two lowest agree.
    Ruled,
}

impl Step {
    /// All steps, in their order.
    pub const ALL: [Self; 8] = [
        Self::Plain,
        Self::PlainLoaded,
        Self::Pinned,
        Self::Leased,
        Self::LeasedLoaded,
        Self::Tuned,
        Self::OneNode,
        Self::Ruled,
    ];

    /// Returns its name in documents.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::PlainLoaded => "plain_loaded",
            Self::Pinned => "pinned",
            Self::Leased => "leased",
            Self::LeasedLoaded => "leased_loaded",
            Self::Tuned => "tuned",
            Self::OneNode => "one_node",
            Self::Ruled => "ruled",
        }
    }

    /// Returns its name for display.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Plain => "plain, idle",
            Self::PlainLoaded => "plain, load",
            Self::Pinned => "pinned, load",
            Self::Leased => "own CPU, idle",
            Self::LeasedLoaded => "own CPU, load",
            Self::Tuned => "tuned, load",
            Self::OneNode => "one node, load",
            Self::Ruled => "two lowest agree",
        }
    }

    /// Returns a description of the step.
    pub const fn what(self) -> &'static str {
        match self {
            Self::Plain => "nothing is done, and nothing of ours runs meanwhile",
            Self::PlainLoaded => "nothing is done, while loads keep every CPU busy",
            Self::Pinned => "bound to one CPU by affinity, under the same load, which may be there too",
            Self::Leased => {
                "a leased CPU with everything else kept off it as far as the machine can, nothing else running"
            }
            Self::LeasedLoaded => "the same, under load",
            Self::Tuned => "the same, with what 'tauto machine tune' changes",
            Self::OneNode => "the same, with memory of the CPU's own NUMA node alone",
            Self::Ruled => {
                "the same, each time repeated until two whose core was not seen slow are within 0.5 % of the lowest (5 to 10 runs); the lowest counts"
            }
        }
    }

    /// Returns the article's spread in ms for the most similar step.
    pub const fn article_spread_ms(self) -> Option<f64> {
        match self {
            Self::Plain => Some(2230.0),
            Self::Leased => Some(375.0),
            Self::LeasedLoaded => Some(1354.0),
            Self::Tuned => Some(252.0),
            Self::OneNode => Some(48.0),
            Self::PlainLoaded | Self::Pinned | Self::Ruled => None,
        }
    }

    /// Returns the article's spread divided by its mean.
    pub fn article_share(self) -> Option<f64> {
        let mean = if self < Self::Tuned { ARTICLE_MEAN_MS } else { ARTICLE_MEAN_LATE_MS };
        self.article_spread_ms().map(|spread| spread / mean)
    }

    /// Returns whether loads are active.
    pub const fn is_loaded(self) -> bool {
        !matches!(self, Self::Plain | Self::Leased)
    }

    /// Returns whether settings are changed for it.
    pub const fn is_tuned(self) -> bool {
        matches!(self, Self::Tuned | Self::OneNode | Self::Ruled)
    }

    /// Returns on which terms its runs get their CPU; `nodes` is whether there are several NUMA nodes.
    pub const fn spot(self, nodes: bool) -> CpuTerms {
        match self {
            Self::Plain | Self::PlainLoaded => CpuTerms::Anywhere,
            Self::Pinned => CpuTerms::Pinned,
            Self::OneNode => CpuTerms::OwnNode,
            Self::Ruled if nodes => CpuTerms::OwnNode,
            Self::Leased | Self::LeasedLoaded | Self::Tuned | Self::Ruled => CpuTerms::Own,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_articles_shares_are_of_the_mean_of_their_time() {
        let share = |step: Step| step.article_share().map(|share| (share * 1000.0).round() / 10.0);
        let shares: Vec<_> = Step::ALL.map(share).into_iter().flatten().collect();
        assert_eq!(shares, [27.9, 4.7, 16.9, 2.5, 0.5]);
    }

    #[test]
    fn each_step_keeps_what_the_one_before_has() {
        for pair in Step::ALL.windows(2).filter(|pair| pair[0] >= Step::LeasedLoaded) {
            assert!(pair[1].is_loaded() && pair[1].is_tuned() >= pair[0].is_tuned(), "{pair:?}");
            assert!(pair[1].spot(true) >= pair[0].spot(true), "{pair:?}");
        }
        assert_eq!(Step::Ruled.spot(false), CpuTerms::Own);
    }
}
