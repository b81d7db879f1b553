//! Reads small kernel files as readings.

use model::Reading;
use std::path::Path;
use std::str::FromStr;

pub fn text(path: &Path) -> Reading<String> {
    match std::fs::read(path) {
        Ok(bytes) => Reading::Known(String::from_utf8_lossy(&bytes).trim().to_owned()),
        Err(error) => Reading::unavailable(format!("cannot read {}: {error}", path.display())),
    }
}

pub fn value<T: FromStr>(path: &Path) -> Reading<T> {
    and_then(text(path), |text| {
        text.parse().map_err(|_| format!("{} holds '{}', not the value expected", path.display(), cut(&text)))
    })
}

pub fn cut(text: &str) -> String {
    const SHOWN_CHARS: usize = 40;
    text.chars().take(SHOWN_CHARS).collect()
}

/// Applies `change`, which may return a reason instead of a value, to a known value.
pub fn and_then<T, U>(reading: Reading<T>, change: impl FnOnce(T) -> Result<U, String>) -> Reading<U> {
    match reading {
        Reading::Known(value) => match change(value) {
            Ok(value) => Reading::Known(value),
            Err(why) => Reading::Unavailable(why),
        },
        Reading::Unavailable(why) => Reading::Unavailable(why),
    }
}

pub fn known_or<T>(value: Option<T>, why: impl FnOnce() -> String) -> Reading<T> {
    match value {
        Some(value) => Reading::Known(value),
        None => Reading::Unavailable(why()),
    }
}

/// Finds the value of `key` in lines such as `key: value` or `key\t: value`.
pub fn field<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    text.lines()
        .filter_map(|line| line.split_once(':'))
        .find_map(|(name, value)| (name.trim() == key).then(|| value.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Roots;
    use test_tree::Tree;

    #[test]
    fn values_or_the_reason() {
        let tree = Tree::new(&[("proc/good", " 17\n"), ("proc/bad", "many\n")]);
        let proc = &Roots::under(tree.path()).proc;
        assert_eq!(value::<u32>(&proc.join("good")), Reading::Known(17));
        let Reading::Unavailable(why) = value::<u32>(&proc.join("bad")) else {
            panic!("'many' is no number")
        };
        assert!(why.ends_with("bad holds 'many', not the value expected"), "{why}");
        let Reading::Unavailable(why) = value::<u32>(&proc.join("none")) else { panic!("there is no file") };
        assert!(why.contains("none: No such file"), "{why}");
    }

    #[test]
    fn fields_are_found_by_their_whole_name() {
        let text = "model\t\t: 207\nmodel name\t: Some CPU\nflags: a b";
        assert_eq!(field(text, "model name"), Some("Some CPU"));
        assert_eq!(field(text, "model"), Some("207"));
        assert_eq!(field(text, "name"), None);
    }
}
