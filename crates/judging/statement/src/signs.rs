//! The signs beyond ASCII of statements: for which TeX chooses fonts, and which no font had.

use crate::Fault;
use crate::check::line_at;
use crate::inputs::{Files, Ready};
use std::collections::BTreeSet;

/// Writes what TeX reads to choose fonts: the signs of all texts, in order.
pub(crate) fn used(parts: &[Ready], files: &Files, bodies: &[String]) -> String {
    // Statements in other languages stand in the same folder.
    let is_read = |name: &str| {
        let file = name.rsplit('/').next().unwrap_or_default();
        !file.starts_with("problem.") || parts.iter().any(|part| part.file() == name)
    };
    let texts = files.iter().filter(|(name, _)| is_read(name));
    let texts = texts.filter_map(|(_, content)| std::str::from_utf8(content).ok());
    let texts = texts.chain(bodies.iter().map(String::as_str));
    let signs: BTreeSet<char> = texts.flat_map(|text| text.chars().filter(|sign| !sign.is_ascii())).collect();
    signs.into_iter().map(|sign| format!("\\tautosign{{\"{:X}}}\n", u32::from(sign))).collect()
}

/// Finds the first sign that TeX's log says no font has.
pub(crate) fn lost(parts: &[Ready], log: &str) -> Option<Fault> {
    let mut signs = log.lines().filter_map(|line| {
        let (_, rest) = line.split_once("Missing character: There is no ")?;
        // There is no X (U+2264) in font ..., or ("2264), as versions of XeTeX write it.
        let code = rest.split_once(" (")?.1.split(')').next()?;
        char::from_u32(u32::from_str_radix(code.trim_start_matches("U+").trim_start_matches('"'), 16).ok()?)
    });
    let sign = signs.find(|sign| !is_unprinted(*sign))?;
    let problem = format!("no font that is installed has the sign '{sign}' (U+{:04X})", u32::from(sign));
    for part in parts {
        for (name, text) in part.texts() {
            if let Some(at) = text.find(sign) {
                return Some(Fault::of(part.source.place(name), Some(line_at(&text, at)), problem));
            }
        }
        if let Some((file, line)) = part.shown.iter().find_map(|sample| sample.line_with(sign)) {
            return Some(Fault::of(file, Some(line), problem));
        }
    }
    let place = match parts {
        [only] => only.source.place(&only.source.name),
        _ => "the problem set".to_owned(),
    };
    Some(Fault::of(place, None, problem))
}

/// Returns whether a sign only joins or separates others.
fn is_unprinted(sign: char) -> bool {
    matches!(sign, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}
