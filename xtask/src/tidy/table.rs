//! The table of crates in ARCHITECTURE.md equals the rules.

use std::collections::BTreeSet;

use super::Finding;
use super::crates::{ALLOWED, UNSAFE_CRATES};
use super::tree::Tree;

const PAGE: &str = "ARCHITECTURE.md";
/// Where every crate may be used.
const ALL: &str = "all";
const UNSAFE: &str = "unsafe";
const NOTHING: &str = "-";

/// Checks the rows of the table, `| `crate` | kind | uses |`, against the crates' rules.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let text = tree.text(PAGE).unwrap_or_default();
    let mut seen = BTreeSet::new();
    let mut findings = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let Some((name, kind, uses)) = row(line) else { continue };
        let Some((_, allowed)) = ALLOWED.iter().find(|(known, _)| *known == name) else { continue };
        seen.insert(name);
        let listed: BTreeSet<&str> = uses.split(", ").filter(|one| *one != NOTHING).collect();
        let wanted: BTreeSet<&str> = allowed.iter().copied().collect();
        if uses != ALL && listed != wanted {
            let wanted = if wanted.is_empty() { NOTHING.to_owned() } else { allowed.join(", ") };
            findings.push(Finding::error(
                PAGE,
                number + 1,
                format!("`{name}` is listed as using {uses}"),
                format!("write what ALLOWED in xtask/src/tidy/crates.rs has: {wanted}"),
            ));
        }
        let may = UNSAFE_CRATES.contains(&name);
        if kind.split(", ").any(|word| word == UNSAFE) != may {
            let fix = if may { "add ', unsafe' to its kind" } else { "it may hold none: remove 'unsafe'" };
            findings.push(Finding::error(PAGE, number + 1, format!("the kind of `{name}` is '{kind}'"), fix));
        }
    }
    let missing = ALLOWED.iter().filter(|(name, _)| !seen.contains(name));
    let missing =
        missing.map(|(name, _)| Finding::error(PAGE, 1, format!("the table has no `{name}`"), "add a row"));
    findings.extend(missing);
    findings
}

/// Returns the crate, its kind and what it uses.
fn row(line: &str) -> Option<(&str, &str, &str)> {
    let mut cells = line.strip_prefix("| `")?.strip_suffix('|')?.split('|').map(str::trim);
    let name = cells.next()?.strip_suffix('`')?;
    let row = (name, cells.next()?, cells.next()?);
    cells.next().is_none().then_some(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_as_the_rules_are() {
        let row = |name: &str, allowed: &[&str], is_unsafe: bool| {
            let uses = if allowed.is_empty() { NOTHING.to_owned() } else { allowed.join(", ") };
            format!("| `{name}` | kind{} | {uses} |\n", if is_unsafe { ", unsafe" } else { "" })
        };
        let rows: Vec<String> =
            ALLOWED.iter().map(|(name, allowed)| row(name, allowed, UNSAFE_CRATES.contains(name))).collect();
        let found = |text: &str| -> Vec<String> {
            let tree = Tree::of(&[(PAGE, text)]);
            check(&tree).into_iter().map(|finding| finding.text).collect()
        };
        assert_eq!(found(&rows.concat()), [""; 0]);
        assert_eq!(found(&rows[1..].concat()), [format!("the table has no `{}`", ALLOWED[0].0)]);
        let wrong = rows.concat().replace(&row("stats", &[], false), "| `stats` | pure, unsafe | model |\n");
        assert_eq!(
            found(&wrong),
            ["`stats` is listed as using model", "the kind of `stats` is 'pure, unsafe'"]
        );
    }
}
