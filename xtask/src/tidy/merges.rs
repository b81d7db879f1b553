//! Marks that an unfinished merge leaves: not every file of the tree is compiled.

use super::Finding;
use super::tree::Tree;

pub fn check(tree: &Tree) -> Vec<Finding> {
    let marks = ["<<<<<<< ", ">>>>>>> ", "||||||| "];
    let mut findings = Vec::new();
    for (path, text) in tree.texts(|_| true) {
        for (index, line) in text.lines().enumerate() {
            if marks.iter().any(|mark| line.starts_with(mark)) {
                findings.push(Finding::error(
                    path,
                    index + 1,
                    "a mark of an unfinished merge",
                    "choose one side, and remove the marks",
                ));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_at_the_start_of_a_line_are_errors() {
        let merged = format!("a\n{} HEAD\nb\n=======\nc\n{} other\n", "<".repeat(7), ">".repeat(7));
        let tree = Tree::of(&[("tools/install", &merged), ("docs/git.md", "  <<<<<<< HEAD\n=======\n")]);
        let found: Vec<_> = check(&tree).into_iter().map(|finding| (finding.path, finding.line)).collect();
        assert_eq!(found, [("tools/install".to_owned(), 2), ("tools/install".to_owned(), 6)]);
    }
}
