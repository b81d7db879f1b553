//! The innermost parts of a machine, as a person is shown them.

use crate::machine::Machine;
use std::ops::Range;

/// Cores that are shown together, with what they are called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The names of all parts around them, the widest first.
    pub name: String,
    /// Which of [`Machine::cores`] they are.
    pub cores: Range<usize>,
}

impl Block {
    /// Returns the innermost parts of a machine.
    pub fn all(machine: &Machine) -> Vec<Self> {
        let innermost = (0..machine.parts.len()).filter(|part| machine.parts[*part].children.is_empty());
        innermost
            .map(|at| {
                let around = std::iter::successors(Some(at), |at| machine.parts[*at].parent);
                let mut names: Vec<String> = around.map(|at| title(&machine.parts[at].names)).collect();
                names.reverse();
                // That it is in the machine says nothing, unless there is nothing else to say.
                names.retain(|name| !name.is_empty());
                if names.is_empty() {
                    names.push("machine".to_owned());
                }
                Self { name: names.join(" / "), cores: machine.parts[at].cores.clone() }
            })
            .collect()
    }
}

/// Joins all names of a part, from the widest, without those that say nothing.
fn title(names: &[String]) -> String {
    let dull = |name: &&String| *name == "the machine" || (name.starts_with("die") && names.len() > 1);
    let telling: Vec<&str> = names.iter().rev().filter(|name| !dull(name)).map(String::as_str).collect();
    telling.join(", ")
}
