//! The list of sentences that is checked in, `docs/messages.json`, has those of the code: each code with its English sentence,
//! and the words for the kinds of audit lines.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Calls that say "there is no THING 'ID'", and which argument is the thing.
const NONE: [(&str, usize); 6] = [
    ("Message::none(", 0),
    ("not_found(", 0),
    ("find(", 0),
    ("check_known(", 1),
    ("named(", 0),
    ("numbered(", 0),
];

#[test]
fn the_list_is_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let kinds = contest_rules::AUDIT_KINDS.iter();
    let mut sentences: BTreeMap<String, String> =
        kinds.map(|kind| (format!("kind-{kind}"), (*kind).to_owned())).collect();
    for folder in ["src", "../rules/src"] {
        read(&root.join(folder), &mut sentences);
    }
    let now = serde_json::to_string_pretty(&sentences).unwrap() + "\n";
    let file = root.join("../../../docs/messages.json");
    if std::env::var_os("UPDATE_MESSAGES").is_some() {
        fs::write(&file, &now).unwrap();
    }
    assert!(
        fs::read_to_string(&file).unwrap_or_default() == now,
        "docs/messages.json is out of date; make it anew with UPDATE_MESSAGES=1 cargo test -p tautochrone-server --test messages, \
         and translate what is new in web/src/messages"
    );
}

fn read(folder: &Path, sentences: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read(&path, sentences);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let source = fs::read_to_string(&path).unwrap();
            take(source.split("#[cfg(test)]").next().unwrap_or_default(), sentences);
        }
    }
}

fn take(source: &str, sentences: &mut BTreeMap<String, String>) {
    let mut add = |code: String, text: String| {
        let known = sentences.entry(code.clone()).or_insert_with(|| text.clone());
        assert_eq!(*known, text, "two sentences have the code {code}");
    };
    for (at, name) in source.match_indices("message!(").chain(source.match_indices("note!(")) {
        let rest = &source[at + name.len()..];
        // Within a macro.
        if rest.trim_start().starts_with('$') {
            continue;
        }
        let (code, rest) = literal(&rest[rest.find('"').unwrap()..]).unwrap();
        let (text, _) = literal(rest.trim_start_matches(',').trim_start())
            .unwrap_or_else(|| panic!("the sentence of {code} is no literal"));
        assert!(text.split('{').skip(1).all(is_placeholder), "a placeholder of '{text}' is not a name");
        add(code, text);
    }
    for (call, argument) in NONE {
        // A method, such as that of a text, and the end of another name are other functions.
        let is_other = |before: char| before.is_alphanumeric() || matches!(before, '.' | '_');
        for (at, _) in source.match_indices(call).filter(|(at, _)| !source[..*at].ends_with(is_other)) {
            let thing = source[at + call.len()..].split(',').nth(argument).unwrap_or_default().trim_start();
            if let Some((thing, _)) = literal(thing) {
                add(format!("no-{}", thing.replace(' ', "-")), format!("there is no {thing} '{{id}}'"));
            }
        }
    }
}

fn is_placeholder(rest: &str) -> bool {
    rest.split_once('}').is_some_and(|(name, _)| {
        name.bytes().all(|byte| byte == b'_' || byte.is_ascii_lowercase() || byte.is_ascii_digit())
    })
}

/// Returns the text of a string literal that begins here, and what follows it.
fn literal(source: &str) -> Option<(String, &str)> {
    let mut text = String::new();
    let inner = source.strip_prefix('"')?;
    let mut characters = inner.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((text, &inner[at + 1..])),
            '\\' => match characters.next()?.1 {
                '\n' => while characters.next_if(|(_, next)| next.is_whitespace()).is_some() {},
                escaped => text.push(escaped),
            },
            _ => text.push(character),
        }
    }
    None
}
