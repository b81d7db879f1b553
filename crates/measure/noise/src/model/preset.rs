//! The article's parameters, and where they stand in it.

use super::{Phases, Scenario, Stencil};
use crate::source::{Occurrence, Source};

/// Parameters that were published.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preset {
    pub name: &'static str,
    pub title: &'static str,
    /// Where it stands.
    pub place: &'static str,
    /// Frequency in Hz and length in us of each source.
    pub sources: &'static [(f64, f64)],
    /// `T_C` in us.
    pub compute_us: f64,
    /// `T^S` in us; 0 where the article gives none.
    pub message_us: f64,
    /// What the article leaves open or contradicts, if anything.
    pub remark: &'static str,
}

/// A core other than 0 alone, unless the name says something else.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "g7",
        title: "NKS-30T g6/g7, one core loaded, core 1",
        place: "table 2, and the formula of f in section 5",
        sources: &[(1000.0, 13.0), (8.0, 160.0)],
        compute_us: 80.0,
        message_us: 0.0,
        remark: "T_C is that of figure 4",
    },
    Preset {
        name: "g7-core0",
        title: "NKS-30T g6/g7, one core loaded, core 0",
        place: "table 2",
        sources: &[(1000.0, 90.0), (8.0, 160.0)],
        compute_us: 80.0,
        message_us: 0.0,
        remark: "T_C is that of figure 4",
    },
    Preset {
        name: "g7-loaded",
        title: "NKS-30T g6/g7, all cores loaded, core 1",
        place: "table 2",
        sources: &[(1000.0, 1.0), (8.0, 90.0)],
        compute_us: 80.0,
        message_us: 0.0,
        remark: "the table has no frequency for these lengths; those of one loaded core are taken",
    },
    Preset {
        name: "g7-loaded-core0",
        title: "NKS-30T g6/g7, all cores loaded, core 0",
        place: "table 2",
        sources: &[(1000.0, 3.0), (8.0, 90.0)],
        compute_us: 80.0,
        message_us: 0.0,
        remark: "the table has no frequency for these lengths; those of one loaded core are taken",
    },
    Preset {
        name: "mvs100k",
        title: "MVS-100K, one core loaded",
        place: "table 2",
        sources: &[(1000.0, 3.0), (8.0, 580.0)],
        compute_us: 75.0,
        message_us: 0.0,
        remark: "T_C is that of figure 3",
    },
    Preset {
        name: "mvs100k-loaded",
        title: "MVS-100K, all cores loaded",
        place: "table 2",
        sources: &[(1000.0, 1.0), (8.0, 580.0)],
        compute_us: 75.0,
        message_us: 0.0,
        remark: "the table has no frequency for these lengths; those of one loaded core are taken",
    },
    Preset {
        name: "mvs10p",
        title: "MVS-10P, one core loaded",
        place: "table 2",
        sources: &[(1000.0, 2.0), (40.0, 7.0), (25.0, 13.0), (12.0, 25.0)],
        compute_us: 100.0,
        message_us: 0.0,
        remark: "the article gives no T_C for this cluster; 100 us is ours",
    },
    Preset {
        name: "mvs10p-loaded",
        title: "MVS-10P, all cores loaded",
        place: "table 2",
        sources: &[(100.0, 2.0), (10.0, 7.0), (2.0, 13.0), (0.5, 50.0)],
        compute_us: 100.0,
        message_us: 0.0,
        remark: "the article gives no T_C for this cluster; 100 us is ours",
    },
    Preset {
        name: "fig3",
        title: "figure 3: MVS-100K, measured and modelled",
        place: "figure 3; sources from table 2",
        sources: &[(1000.0, 3.0), (8.0, 580.0)],
        compute_us: 75.0,
        message_us: 7.0,
        remark: "its T_3 of 84.6 us contradicts its own T_C + 2 T^S = 89 us; which sources it ran with is not said",
    },
    Preset {
        name: "fig4",
        title: "figure 4: NKS-30T, measured and modelled",
        place: "figure 4; sources from the formula of f in section 5",
        sources: &[(1000.0, 13.0), (8.0, 160.0)],
        compute_us: 80.0,
        message_us: 0.0,
        remark: "which queue it ran in is not said; that of the formula is taken",
    },
    Preset {
        name: "fig5",
        title: "figure 5: one dimension against two",
        place: "figure 5",
        sources: &[(1000.0, 1.0), (8.0, 100.0)],
        compute_us: 100.0,
        message_us: 0.0,
        remark: "whether nodes have 4 or 8 neighbours in two dimensions is not said; 4 is usual here",
    },
];

impl Preset {
    pub fn find(name: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.name == name)
    }

    pub fn sources(&self) -> Vec<Source> {
        let source = |(frequency_hz, length_us): &(f64, f64)| Source {
            occurrence: Occurrence::Periodic { frequency_hz: *frequency_hz },
            length_ns: length_us * 1e3,
        };
        self.sources.iter().map(source).collect()
    }

    /// Returns it as the article would run it, with this stencil.
    pub fn scenario(&self, stencil: Stencil) -> Scenario {
        Scenario {
            message_ns: self.message_us * 1e3,
            stencil,
            phases: Phases::OneOffset,
            ..Scenario::article(self.compute_us * 1e3, self.sources())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_can_be_predicted_and_has_a_name_of_its_own() {
        for (at, preset) in PRESETS.iter().enumerate() {
            assert_eq!(preset.scenario(Stencil::Line).check(), Ok(()), "{}", preset.name);
            assert!(PRESETS[..at].iter().all(|other| other.name != preset.name), "{}", preset.name);
        }
        assert_eq!(Preset::find("g7").map(|preset| preset.sources().len()), Some(2));
        assert_eq!(Preset::find("g8"), None);
    }
}
