//! Lengths and sizes: files for people stay short, and nothing large enters the repository.

use super::Finding;
use super::tree::Tree;

/// Shorter files are cut where there is a seam, not because of their length.
const LONG_LINES: usize = 800;
const HEAVY_BYTES: u64 = 1_000_000;
const READ_BY_PEOPLE: &[&str] = &[".rs", ".ts", ".tsx", ".go", ".py", ".sh"];

pub fn check(tree: &Tree) -> Vec<Finding> {
    let heavy = tree.files().filter(|(_, file)| file.size_bytes > HEAVY_BYTES).map(|(path, file)| {
        Finding::error(
            path,
            1,
            format!("{} bytes; no file over {HEAVY_BYTES} bytes belongs in the repository", file.size_bytes),
            "generate it in a test or a script, or shorten it",
        )
    });
    let long = tree.texts(is_read_by_people).filter(|(_, text)| text.lines().count() > LONG_LINES).map(
        |(path, text)| {
            Finding::warning(
                path,
                LONG_LINES + 1,
                format!("{} lines; over {LONG_LINES} is long", text.lines().count()),
                "split it by concept, if it has several",
            )
        },
    );
    heavy.chain(long).collect()
}

/// Contestants' programs and recorded data may have any length.
fn is_read_by_people(path: &str) -> bool {
    READ_BY_PEOPLE.iter().any(|ending| path.ends_with(ending)) && !super::tree::is_sample_program(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::Level;

    #[test]
    fn long_files_warn_and_heavy_ones_fail() {
        let long = "line\n".repeat(LONG_LINES + 1);
        let tree = Tree::of(&[
            ("crates/a/src/lib.rs", &long),
            ("crates/a/src/short.rs", &"line\n".repeat(LONG_LINES)),
            ("problems/p/submissions/accepted/long.rs", &long),
            ("docs/long.md", &long),
        ])
        .with_size("data.bin", HEAVY_BYTES + 1)
        .with_size("small.bin", HEAVY_BYTES);
        let found: Vec<_> = check(&tree).into_iter().map(|finding| (finding.level, finding.path)).collect();
        assert_eq!(
            found,
            [(Level::Error, "data.bin".to_owned()), (Level::Warning, "crates/a/src/lib.rs".to_owned())]
        );
    }
}
