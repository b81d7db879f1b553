//! Checks that Markdown links into the tree have existing targets.

use super::Finding;
use super::tree::Tree;

pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.texts(|path| path.ends_with(".md")) {
        for (line, target) in links(text) {
            if let Some(problem) = broken(tree, path, text, &target) {
                findings.push(Finding::error(
                    path,
                    line,
                    format!("the link to `{target}` leads nowhere: {problem}"),
                    "correct the target; it is relative to this file",
                ));
            }
        }
    }
    findings
}

/// Returns why a link is broken, or `None` if it is good or leads out of the tree.
fn broken(tree: &Tree, path: &str, text: &str, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = target.split_once('#').map_or((target, None), |(file, anchor)| (file, Some(anchor)));
    let file = file.replace("%20", " ");
    let resolved = if file.is_empty() {
        path.to_owned()
    } else {
        match resolve(path, &file) {
            Some(resolved) => resolved,
            None => return Some("it leaves the tree".to_owned()),
        }
    };
    if !tree.contains(&resolved) {
        return Some(format!("there is no `{resolved}`"));
    }
    let anchor = anchor.filter(|anchor| !anchor.is_empty() && resolved.ends_with(".md"))?;
    let text = if resolved == path { text } else { tree.text(&resolved)? };
    (!anchors(text).iter().any(|known| known == anchor))
        .then(|| format!("`{resolved}` has no heading `#{anchor}`"))
}

/// Returns a link's path from the root of the tree.
fn resolve(from: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    if target.starts_with('/') {
        parts.clear();
    }
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// Returns the text's lines outside code blocks, numbered from 1.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fence: Option<&str> = None;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let start = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) => return Some((index + 1, line)),
            _ => {}
        }
        None
    })
}

/// Targets of `[text](target)`, `![text](target)` and `[name]: target`, with their lines.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in prose(text) {
        let line = without_code(line);
        if let Some(target) = definition(&line) {
            found.push((number, target));
        }
        let mut rest = line.as_str();
        while let Some(start) = rest.find("](") {
            rest = &rest[start + 2..];
            let Some(end) = closing(rest) else { break };
            found.extend(first_word(&rest[..end]).map(|target| (number, target)));
            rest = &rest[end..];
        }
    }
    found
}

fn definition(line: &str) -> Option<String> {
    let (name, target) = line.trim_start().strip_prefix('[')?.split_once("]:")?;
    // `[^1]: text` is a footnote, whose text is no link.
    if name.contains(']') || name.starts_with('^') { None } else { first_word(target) }
}

/// Returns a link's target without its title and angle brackets.
fn first_word(link: &str) -> Option<String> {
    let link = link.trim();
    let target = match link.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
        Some((target, _)) => target,
        None => link.split_whitespace().next()?,
    };
    Some(target.to_owned())
}

/// Returns the position of the parenthesis that closes the one before the text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (index, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(index),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Returns the line with blanks in place of its `code`.
fn without_code(line: &str) -> String {
    line.split('`').enumerate().map(|(index, part)| if index % 2 == 0 { part } else { "x" }).collect()
}

/// Returns the anchors that a Markdown page offers: headings as GitHub and mdBook name them, and explicit ids.
fn anchors(text: &str) -> Vec<String> {
    let mut anchors: Vec<String> = Vec::new();
    for (_, line) in prose(text) {
        for quote in ["id=\"", "name=\""] {
            let ids = line
                .match_indices(quote)
                .filter_map(|(start, _)| line[start + quote.len()..].split('"').next());
            anchors.extend(ids.map(str::to_owned));
        }
        let hashes = line.len() - line.trim_start_matches('#').len();
        if !(1..=6).contains(&hashes) || !line[hashes..].starts_with(' ') {
            continue;
        }
        let slug: String = heading_text(line[hashes..].trim())
            .to_lowercase()
            .chars()
            .filter_map(|c| match c {
                ' ' => Some('-'),
                c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
                _ => None,
            })
            .collect();
        let mut name = slug.clone();
        let mut repeats = 0;
        while anchors.contains(&name) {
            repeats += 1;
            name = format!("{slug}-{repeats}");
        }
        anchors.push(name);
    }
    anchors
}

/// Returns a heading's visible text: a link in it counts by its text only.
fn heading_text(heading: &str) -> String {
    let mut shown = String::new();
    let mut rest = heading;
    while let Some(start) = rest.find("](") {
        shown.push_str(&rest[..start]);
        rest = closing(&rest[start + 2..]).map_or("", |end| &rest[start + 2 + end + 1..]);
    }
    shown + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_page(page: &str, expect: &[(usize, &str)]) {
        let tree = Tree::of(&[
            ("docs/page.md", page),
            ("docs/other.md", "# The *big* `picture`, twice\n## Units\n## Units\n<a id=\"here\"></a>\n"),
            ("docs/a file.md", ""),
            ("crates/model/src/lib.rs", ""),
            ("README.md", ""),
        ]);
        let found: Vec<(usize, String)> =
            super::check(&tree).into_iter().map(|finding| (finding.line, finding.text)).collect();
        assert_eq!(found.len(), expect.len(), "{found:?}");
        for ((line, text), (expected_line, part)) in found.iter().zip(expect) {
            assert!(
                line == expected_line && text.contains(part),
                "{found:?}, expected {part} in {expected_line}"
            );
        }
    }

    #[test]
    fn good_links_pass() {
        check_page(
            "# Top\n[a](other.md) ![b](../README.md \"title\") [c](/crates/model) [d](#top)\n\
             [e](https://example.org/x.md) [f](mailto:a@b.c) [g](<a file.md>) [h](a%20file.md)\n\
             [i](other.md#the-big-picture-twice) [j](other.md#units-1) [k](other.md#here)\n\
             [name]: other.md\n[^1]: a footnote\n",
            &[],
        );
    }

    #[test]
    fn bad_links_are_named_with_their_line() {
        check_page(
            "[a](gone.md)\ntext\n[b](../../outside.md) and [c](other.md#nothing)\n[d](#nothing)\n[name]: lost.md\n",
            &[
                (1, "there is no `docs/gone.md`"),
                (3, "leaves the tree"),
                (3, "no heading `#nothing`"),
                (4, "no heading `#nothing`"),
                (5, "there is no `docs/lost.md`"),
            ],
        );
    }

    #[test]
    fn code_is_not_searched_for_links() {
        check_page(
            "`[a](gone.md)` and `x` [b](lost.md)\n```sh\n[c](gone.md)\n~~~\n```\n[d](gone.md)\n",
            &[(1, "lost.md"), (6, "gone.md")],
        );
    }
}
