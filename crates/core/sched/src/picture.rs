//! Who holds which core: at one moment as text, and over time as a drawing.

mod map;
mod timeline;

use crate::LeaseId;
use crate::machine::Machine;
use model::{CpuSet, Nanos};
use std::ops::Range;

pub use map::map;
pub use timeline::timeline;

/// From some moment on a lease has these CPUs; none when it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// When, from the beginning of the drawing; its number, where steps are drawn.
    pub at: Nanos,
    /// Whose CPUs.
    pub lease: LeaseId,
    /// All of its CPUs from then on.
    pub cpus: CpuSet,
}

/// What goes to the right in a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Time.
    Time,
    /// Steps, one after the other.
    Steps,
}

/// Cores that are drawn together, with what they are called.
struct Block {
    name: String,
    cores: Range<usize>,
}

/// Lists the innermost parts, each with the names of all parts around it.
fn blocks(machine: &Machine) -> Vec<Block> {
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
            Block { name: names.join(" / "), cores: machine.parts[at].cores.clone() }
        })
        .collect()
}

/// Joins all names of a part, from the widest, without those that say nothing.
fn title(names: &[String]) -> String {
    let dull = |name: &&String| *name == "the machine" || (name.starts_with("die") && names.len() > 1);
    let telling: Vec<&str> = names.iter().rev().filter(|name| !dull(name)).map(String::as_str).collect();
    telling.join(", ")
}
