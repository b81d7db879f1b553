//! The innermost parts of a machine, for display.

use crate::machine::Machine;
use std::ops::Range;

/// Cores that are shown together, with their names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The names of all parts around them, the widest first.
    pub name: String,
    /// Their indices in [`Machine::cores`].
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
                // "In the machine" is no information, unless it is the only name.
                names.retain(|name| !name.is_empty());
                if names.is_empty() {
                    names.push("machine".to_owned());
                }
                Self { name: names.join(" / "), cores: machine.parts[at].cores.clone() }
            })
            .collect()
    }
}

/// Joins the names of a part, from the widest, without empty ones.
fn title(names: &[String]) -> String {
    let dull = |name: &&String| *name == "the machine" || (name.starts_with("die") && names.len() > 1);
    let telling: Vec<&str> = names.iter().rev().filter(|name| !dull(name)).map(String::as_str).collect();
    telling.join(", ")
}
