//! What policies need of fields beyond [`located`].

use crate::policy::units::{NONE, decimal, digits, duration, milliseconds, thousandths};
use located::{Field, Node, Value, Wrong, join};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// The lines of a file's fields, by their paths.
pub type Lines = BTreeMap<String, u64>;

pub fn lines(root: &Node) -> Lines {
    let mut lines = Lines::new();
    add_lines(&mut lines, "", root);
    lines
}

fn add_lines(lines: &mut Lines, path: &str, node: &Node) {
    match &node.value {
        Value::Map(entries) => entries.iter().for_each(|entry| {
            let path = join(path, &entry.key);
            lines.insert(path.clone(), entry.line);
            add_lines(lines, &path, &entry.value);
        }),
        Value::List(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(index, item)| add_lines(lines, &format!("{path}[{index}]"), item));
        }
        _ => {}
    }
}

pub trait FieldOfPolicy {
    fn is_none(&self) -> bool;

    /// Reads a whole number in a range.
    fn count(&self, range: RangeInclusive<u32>) -> Result<u32, Wrong>;

    /// Reads a number with at most three decimals in a range, in thousandths.
    fn permille(&self, range: RangeInclusive<u32>) -> Result<u32, Wrong>;

    /// Reads a duration in a range, in milliseconds.
    fn duration(&self, range: RangeInclusive<u64>) -> Result<u64, Wrong>;
}

impl FieldOfPolicy for Field<'_> {
    fn is_none(&self) -> bool {
        matches!(&self.node.value, Value::Text(text) if text == NONE)
    }

    fn count(&self, range: RangeInclusive<u32>) -> Result<u32, Wrong> {
        let value = number(self).and_then(digits);
        within(self, value, range, u32::to_string, "a whole number", "write digits alone, such as 8")
    }

    fn permille(&self, range: RangeInclusive<u32>) -> Result<u32, Wrong> {
        let value = number(self).and_then(thousandths);
        let remedy = "write at most three decimals and no unit, such as 0.8 for 80 %";
        within(self, value, range, |value| decimal(*value), "a number", remedy)
    }

    fn duration(&self, range: RangeInclusive<u64>) -> Result<u64, Wrong> {
        let value = match &self.node.value {
            Value::Text(text) => milliseconds(text),
            _ => None,
        };
        let remedy = "write a whole number with ms, s, m, h or d, such as 5m";
        within(self, value, range, |value| duration(*value), "a time", remedy)
    }
}

fn number<'n>(field: &Field<'n>) -> Option<&'n str> {
    match &field.node.value {
        Value::Number { text, .. } => Some(text),
        _ => None,
    }
}

/// Returns the value if it could be read and is in the range; `remedy` is for one that could not.
fn within<T: PartialOrd + Copy>(
    field: &Field<'_>,
    value: Option<T>,
    range: RangeInclusive<T>,
    print: impl Fn(&T) -> String,
    kind: &str,
    remedy: &str,
) -> Result<T, Wrong> {
    let remedy = match value {
        Some(value) if value < *range.start() => "raise it",
        Some(value) if value > *range.end() => "lower it",
        Some(value) => return Ok(value),
        None => remedy,
    };
    Err(field.wrong(format!("{kind} from {} to {}", print(range.start()), print(range.end())), remedy))
}
