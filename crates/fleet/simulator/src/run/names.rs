//! Numbers for names.

use placement::NameId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Names in the order in which they came.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Names {
    list: Vec<Box<str>>,
    numbers: BTreeMap<Box<str>, NameId>,
}

impl Names {
    /// Returns a name's number, a new one for a new name.
    pub(super) fn number(&mut self, name: &str) -> NameId {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.list.len() as NameId;
        self.list.push(name.into());
        self.numbers.insert(name.into(), number);
        number
    }

    /// Returns the number of a name that came.
    pub(super) fn find(&self, name: &str) -> Option<NameId> {
        self.numbers.get(name).copied()
    }

    /// # Panics
    /// When there is no such number.
    pub(super) fn name(&self, number: NameId) -> &str {
        &self.list[number as usize]
    }
}
