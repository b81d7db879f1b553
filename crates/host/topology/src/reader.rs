//! Reads a machine's files and ignores impossible contents.
//!
//! Firmware can report wrong values, and the kernel passes them on. An impossible content, or one that contradicts a
//! file read before, is ignored, and a warning names the file: the machine is then treated like one that reports less.

use super::Source;
use model::CpuSet;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use system::files;

/// A source whose files are used as far as they are plausible.
pub(super) struct Reader<'s> {
    source: &'s Source,
    /// By the name that the files have in all folders of their kind: a machine of 256 CPUs has the same error 256
    /// times.
    left_out: RefCell<BTreeMap<String, LeftOut>>,
}

struct LeftOut {
    /// The problem of the first of them.
    first: String,
    paths: BTreeSet<String>,
}

impl<'s> Reader<'s> {
    pub(super) fn new(source: &'s Source) -> Self {
        Self { source, left_out: RefCell::default() }
    }

    pub(super) fn name(&self) -> &str {
        self.source.name()
    }

    pub(super) fn text(&self, path: &str) -> Option<String> {
        self.source.text(path)
    }

    /// Lists the numbers of names such as `cpu17` in a folder.
    pub(super) fn numbers(&self, folder: &str, prefix: &str) -> BTreeSet<u32> {
        self.source.numbers(folder, prefix)
    }

    pub(super) fn number(&self, path: &str) -> Option<i64> {
        let text = self.text(path).filter(|text| !text.is_empty())?;
        text.parse().map_err(|_| self.wrong(path, &text, "a whole number")).ok()
    }

    /// Reads a list such as `0-3,8`.
    pub(super) fn list(&self, path: &str) -> Option<CpuSet> {
        let text = self.text(path)?;
        text.parse().map_err(|_| self.wrong(path, &text, "a list of CPUs such as 0-3,8")).ok()
    }

    /// Reads a set from the first of these files that has one: a list (`..._list`, `...list`) or a mask.
    pub(super) fn first_set(&self, paths: &[String]) -> Option<(String, CpuSet)> {
        paths.iter().find_map(|path| {
            let text = self.text(path).filter(|text| !text.is_empty())?;
            let set = if path.ends_with("list") {
                self.list(path)
            } else {
                let set = system::mask::parse(&text);
                if set.is_none() {
                    self.wrong(path, &text, "a mask such as 0000000f");
                }
                set
            };
            Some((path.clone(), set?))
        })
    }

    pub(super) fn place(&self, path: &str) -> String {
        self.source.place(path)
    }

    pub(super) fn wrong(&self, path: &str, found: &str, expected: &str) {
        self.leave_out(path, &format!("holds '{}', expected {expected}", files::cut(found)));
    }

    pub(super) fn leave_out(&self, path: &str, why: &str) {
        let kind: String = path.split(|c: char| c.is_ascii_digit()).collect();
        let mut left_out = self.left_out.borrow_mut();
        let known = left_out.entry(kind).or_insert_with(|| LeftOut {
            first: format!("{} {why}", self.place(path)),
            paths: BTreeSet::new(),
        });
        known.paths.insert(path.to_owned());
    }

    pub(super) fn warnings(&self) -> Vec<String> {
        let sentence = |left_out: &LeftOut| match left_out.paths.len() {
            0 | 1 => format!("{}; it is left out", left_out.first),
            2 => format!("{}; it is left out, and so is 1 more such file", left_out.first),
            count => format!("{}; it is left out, and so are {} more such files", left_out.first, count - 1),
        };
        self.left_out.borrow().values().map(sentence).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_files_of_one_kind_share_a_sentence() {
        let source = Source::memory("m", BTreeMap::new());
        let reader = Reader::new(&source);
        assert_eq!(reader.warnings(), [""; 0]);
        for path in ["cpu/cpu7/id", "cpu/cpu12/id", "cpu/cpu7/id", "node/node0/cpulist"] {
            reader.wrong(path, "x", "y");
        }
        assert_eq!(
            reader.warnings(),
            [
                "m: cpu/cpu7/id holds 'x', expected y; it is left out, and so is 1 more such file",
                "m: node/node0/cpulist holds 'x', expected y; it is left out",
            ]
        );
        reader.wrong("cpu/cpu8/id", "x", "y");
        assert!(reader.warnings()[0].ends_with("it is left out, and so are 2 more such files"));
    }
}
