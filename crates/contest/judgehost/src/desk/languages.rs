//! Which languages work.

use documents::judgehost::LanguageTest;
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    Untested,
    Testing,
    Works,
    /// It was not, or did not; or it is not installed.
    Broken,
}

/// The languages by id; without any, all work.
#[derive(Debug)]
pub struct Languages {
    by_id: BTreeMap<String, Test>,
    is_any: bool,
}

impl Languages {
    pub fn new(tests: &[LanguageTest]) -> Self {
        let state = |test: &LanguageTest| match (&test.error, test.is_tested) {
            (Some(_), _) => Test::Broken,
            (None, true) => Test::Works,
            (None, false) => Test::Untested,
        };
        let by_id = tests.iter().map(|test| (test.id.clone(), state(test))).collect();
        Self { by_id, is_any: tests.is_empty() }
    }

    /// Returns what is known about a language that a job needs; one that is untested counts as being tested from now on.
    pub fn need(&mut self, id: &str) -> Test {
        let Some(test) = self.by_id.get_mut(id) else {
            return if self.is_any { Test::Works } else { Test::Broken };
        };
        let before = *test;
        if before == Test::Untested {
            *test = Test::Testing;
        }
        before
    }

    pub fn works(&self, id: &str) -> bool {
        self.by_id.get(id).map_or(self.is_any, |test| *test == Test::Works)
    }

    pub fn put(&mut self, id: &str, test: Test) {
        self.by_id.insert(id.to_owned(), test);
    }

    /// Lists those that do not work.
    pub fn broken(&self) -> impl Iterator<Item = &String> {
        self.by_id.iter().filter(|(_, test)| **test == Test::Broken).map(|(id, _)| id)
    }

    /// Lists those that are installed and not tested yet.
    pub fn waiting(&self) -> impl Iterator<Item = &String> {
        let waits = |test: &Test| matches!(test, Test::Untested | Test::Testing);
        self.by_id.iter().filter(move |(_, test)| waits(test)).map(|(id, _)| id)
    }

    /// Returns one that is untested, which counts as being tested from now on; none while another is tested.
    pub fn next_untested(&mut self) -> Option<String> {
        if self.by_id.values().any(|test| *test == Test::Testing) {
            return None;
        }
        let (id, test) = self.by_id.iter_mut().find(|(_, test)| **test == Test::Untested)?;
        *test = Test::Testing;
        Some(id.clone())
    }
}
