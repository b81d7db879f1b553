//! The parameters of the article's figures of the model, as far as its text states them.

use noise::model::{Preset, Scenario, Stencil};

/// A curve of a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    /// The nodes' topology.
    pub stencil: Stencil,
    pub nodes: &'static [u32],
}

/// A figure that the model reproduces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    pub number: u32,
    /// The name of its parameters among the model's presets.
    pub preset: &'static str,
    pub curves: &'static [Curve],
}

const LINE: Curve =
    Curve { stencil: Stencil::Line, nodes: &[1, 2, 3, 5, 10, 20, 50, 75, 100, 125, 150, 200, 250, 300] };
const SQUARES: &[u32] = &[4, 16, 36, 64, 100, 144, 256, 400, 625, 900];

pub const FIGURES: [Figure; 3] = [
    Figure { number: 3, preset: "fig3", curves: &[LINE] },
    Figure { number: 4, preset: "fig4", curves: &[LINE] },
    Figure {
        number: 5,
        preset: "fig5",
        curves: &[
            Curve { stencil: Stencil::Line, nodes: SQUARES },
            Curve { stencil: Stencil::Square4, nodes: SQUARES },
        ],
    },
];

impl Figure {
    /// Returns its parameters, and their place in the article.
    ///
    /// # Panics
    /// When the presets have no such figure, which a test excludes.
    pub fn preset(&self) -> &'static Preset {
        Preset::find(self.preset).expect("every figure is a preset")
    }

    /// Returns the scenario to simulate for one of its curves. In the article's model (section 5) messages take no
    /// time.
    pub fn scenario(&self, curve: &Curve) -> Scenario {
        Scenario { message_ns: 0.0, ..self.preset().scenario(curve.stencil) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_parameters_and_differences_have_something_to_be_taken_from() {
        for figure in FIGURES {
            assert!(Preset::find(figure.preset).is_some(), "{}", figure.preset);
            for curve in figure.curves {
                let scenario = figure.scenario(curve);
                assert_eq!((scenario.check(), scenario.iterations), (Ok(()), 1000));
                let whole = |nodes: &u32| curve.stencil.lattice((*nodes).into()).nodes() == u64::from(*nodes);
                assert!(curve.nodes.iter().all(whole), "no node is left out");
                assert!(figure.number == 5 || curve.nodes.contains(&3));
            }
        }
    }
}
