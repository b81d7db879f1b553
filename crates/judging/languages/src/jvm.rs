//! Finds the class of a Java, Kotlin or Scala program to start.

use super::LanguageError;
use super::source::SourceFile;
use super::words::{Syntax, Word};
use crate::language::JvmLanguage;

/// A class that can be started.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Candidate {
    /// Its binary name, such as `org.example.Outer$Inner`.
    class: String,
    /// Whether every version of the language starts it.
    certain: bool,
    /// Whether its file is named after it, as that of a public class is.
    names_file: bool,
}

impl JvmLanguage {
    /// Finds the class to start: `default_class` if it can be started, else one after which its file is named, else the
    /// first in the files' order.
    pub(super) fn main_class(
        self,
        language: &str,
        syntax: &Syntax,
        sources: &[&SourceFile],
        default_class: &str,
    ) -> Result<String, LanguageError> {
        let candidates: Vec<Candidate> = sources
            .iter()
            .flat_map(|file| self.candidates(&syntax.words(&file.text()), file.stem()))
            .collect();
        let simple = |candidate: &&Candidate| simple_name(&candidate.class) == default_class;
        let certain = || candidates.iter().filter(|candidate| candidate.certain);
        let chosen = certain()
            .find(simple)
            .or_else(|| certain().find(|candidate| candidate.names_file))
            .or_else(|| certain().next())
            .or_else(|| candidates.iter().find(simple));
        match chosen.or(candidates.first()) {
            Some(candidate) => Ok(candidate.class.clone()),
            None => Err(LanguageError::NoMainClass {
                language: language.to_owned(),
                expected: match self {
                    Self::Java => "'public static void main(String[] args)'",
                    Self::Kotlin => "'fun main()'",
                    Self::Scala => "an object with 'def main(args: Array[String]): Unit'",
                },
            }),
        }
    }

    fn candidates(self, words: &[Word], stem: &str) -> Vec<Candidate> {
        let mut walk = Walk::new(words);
        let mut found = Vec::new();
        while let Some(at) = walk.next() {
            let candidate = match self {
                Self::Java => walk.java(at, stem),
                Self::Kotlin => walk.kotlin(at, stem),
                Self::Scala => walk.scala(at),
            };
            found.extend(candidate.map(|(class, certain)| Candidate {
                names_file: class == stem,
                class: walk.package.iter().map(|part| format!("{part}.")).collect::<String>() + &class,
                certain,
            }));
        }
        found
    }
}

/// Returns a class's own name without packages and outer classes.
pub(super) fn simple_name(class: &str) -> &str {
    class.rsplit(['.', '$']).next().unwrap_or(class)
}

/// Walks over a file's words and tracks the enclosing declarations.
struct Walk<'w> {
    words: &'w [Word],
    at: usize,
    /// Open braces.
    depth: usize,
    /// Open parentheses and brackets; declarations inside them are arguments.
    parentheses: usize,
    /// The start of the present statement: after the last `;`, `{` or `}`.
    statement: usize,
    package: Vec<String>,
    /// A declaration whose body has not begun yet.
    pending: Option<Scope>,
    scopes: Vec<Scope>,
}

#[derive(Clone)]
struct Scope {
    keyword: String,
    name: String,
    /// How many braces are open inside its body.
    depth: usize,
}

impl<'w> Walk<'w> {
    fn new(words: &'w [Word]) -> Self {
        Self {
            words,
            at: 0,
            depth: 0,
            parentheses: 0,
            statement: 0,
            package: Vec::new(),
            pending: None,
            scopes: Vec::new(),
        }
    }

    /// Steps over one word, updates the scopes, and returns the word's index.
    fn next(&mut self) -> Option<usize> {
        let at = self.at;
        let word = self.words.get(at)?;
        self.at += 1;
        match word {
            Word::Sign('{') => {
                self.depth += 1;
                if let Some(mut scope) = self.pending.take() {
                    scope.depth = self.depth;
                    self.scopes.push(scope);
                }
                self.statement = self.at;
            }
            Word::Sign('}') => {
                self.scopes.pop_if(|scope| scope.depth == self.depth);
                self.depth = self.depth.saturating_sub(1);
                self.statement = self.at;
            }
            Word::Sign(';') => {
                self.pending = None;
                self.statement = self.at;
            }
            Word::Sign('(' | '[') => self.parentheses += 1,
            Word::Sign(')' | ']') => self.parentheses = self.parentheses.saturating_sub(1),
            // `X.class` and `X::class` declare nothing.
            Word::Name(name) if self.parentheses == 0 && !self.after(at, ".") && !self.after(at, ":") => {
                match name.as_str() {
                    "package" if self.depth == 0 => self.read_package(),
                    "class" | "interface" | "enum" | "record" | "object" | "trait" => {
                        self.open_declaration(at, name);
                    }
                    // A declaration without a body ends where the next member starts.
                    "fun" | "def" | "val" | "var" => self.pending = None,
                    _ => {}
                }
            }
            _ => {}
        }
        Some(at)
    }

    fn after(&self, at: usize, text: &str) -> bool {
        at > 0 && self.words[at - 1].is(text)
    }

    fn word_is(&self, at: usize, text: &str) -> bool {
        self.words.get(at).is_some_and(|word| word.is(text))
    }

    fn name_at(&self, at: usize) -> Option<&'w str> {
        self.words.get(at).and_then(Word::name)
    }

    fn read_package(&mut self) {
        while let Some(part) = self.name_at(self.at) {
            self.package.push(part.to_owned());
            self.at += 1;
            if !self.word_is(self.at, ".") {
                break;
            }
            self.at += 1;
        }
    }

    fn open_declaration(&mut self, at: usize, keyword: &str) {
        // `companion object` needs no name; `enum class` is named after its second word.
        let name = match self.name_at(at + 1) {
            Some("class" | "object") => return,
            Some(name) => name,
            None if keyword == "object" && self.after(at, "companion") => "Companion",
            None => return,
        };
        // `record` is a name like any other unless a type follows.
        let is_type = keyword != "record" || self.word_is(at + 2, "(") || self.word_is(at + 2, "<");
        if is_type {
            self.pending = Some(Scope { keyword: keyword.to_owned(), name: name.to_owned(), depth: 0 });
        }
    }

    /// Returns the declaration whose body directly contains the present position.
    fn scope(&self) -> Option<&Scope> {
        self.scopes.last().filter(|scope| scope.depth == self.depth)
    }

    /// Returns whether only declarations, and no function or initialiser, enclose the present position.
    fn in_declarations_only(&self) -> bool {
        self.scopes.len() == self.depth
    }

    fn binary_name(&self) -> String {
        let names: Vec<&str> = self.scopes.iter().map(|scope| scope.name.as_str()).collect();
        names.join("$")
    }

    fn java(&self, at: usize, stem: &str) -> Option<(String, bool)> {
        let is_main = self.words[at].is("main") && self.after(at, "void") && self.word_is(at + 1, "(");
        if !is_main || self.parentheses > 0 || !self.in_declarations_only() {
            return None;
        }
        let parameters = self.parameters(at + 1)?;
        let has = |modifier: &str| self.words[self.statement..at].iter().any(|word| word.is(modifier));
        // `main(int)` is a method like any other.
        if has("private") || !(parameters.is_empty() || is_java_arguments(parameters)) {
            return None;
        }
        let Some(scope) = self.scope() else {
            // A compact source file (Java 25) is a class named after the file.
            return Some((stem.to_owned(), false));
        };
        // Members of an interface are public. Otherwise, or without arguments or `static`, only later versions start it.
        let is_public = has("public") || scope.keyword == "interface";
        Some((self.binary_name(), is_public && has("static") && !parameters.is_empty()))
    }

    fn kotlin(&self, at: usize, stem: &str) -> Option<(String, bool)> {
        let is_main = self.words[at].is("main") && self.after(at, "fun") && self.word_is(at + 1, "(");
        if !is_main || self.parentheses > 0 || !self.in_declarations_only() {
            return None;
        }
        let parameters = self.parameters(at + 1)?;
        let has_arguments = is_kotlin_arguments(parameters);
        let modifiers = self.modifiers(at - 1);
        let has = |modifier: &str| modifiers.iter().any(|word| word.is(modifier));
        if has("private")
            || !self.returns_unit(at + 1, parameters)
            || !(parameters.is_empty() || has_arguments)
        {
            return None;
        }
        let Some(scope) = self.scope() else {
            return Some((self.jvm_name().unwrap_or_else(|| kotlin_file_class(stem)), true));
        };
        // Elsewhere it takes a static method with arguments.
        if scope.keyword != "object" || !has("JvmStatic") {
            return None;
        }
        let class = self.binary_name();
        match scope.name.as_str() {
            // A static method of a companion is the outer class's own.
            "Companion" => class.strip_suffix("$Companion").map(|class| (class.to_owned(), has_arguments)),
            _ => Some((class, has_arguments)),
        }
    }

    /// Returns the words between a parenthesis that opens at `at` and the one that closes it.
    fn parameters(&self, at: usize) -> Option<&'w [Word]> {
        if !self.word_is(at, "(") {
            return None;
        }
        let mut open = 0_usize;
        for (end, word) in self.words.iter().enumerate().skip(at) {
            match word {
                Word::Sign('(') => open += 1,
                Word::Sign(')') => open -= 1,
                _ => {}
            }
            if open == 0 {
                return Some(&self.words[at + 1..end]);
            }
        }
        None
    }

    /// Returns whether a function whose parameters are in the parenthesis at `at` names no other result than `Unit`.
    fn returns_unit(&self, at: usize, parameters: &[Word]) -> bool {
        let after = at + parameters.len() + 2;
        let name = if self.word_is(after + 2, ".") { after + 3 } else { after + 1 };
        !self.word_is(after, ":") || self.word_is(name, "Unit")
    }

    /// Returns the modifiers before a declaration's keyword at `at`; nothing else marks where a declaration begins.
    fn modifiers(&self, at: usize) -> &'w [Word] {
        let is_modifier = |word: &Word| {
            const MODIFIERS: [&str; 12] = [
                "public",
                "private",
                "internal",
                "protected",
                "final",
                "open",
                "override",
                "suspend",
                "inline",
                "tailrec",
                "implicit",
                "JvmStatic",
            ];
            MODIFIERS.iter().any(|modifier| word.is(modifier)) || word.is("@")
        };
        let start = self.words[..at].iter().rposition(|word| !is_modifier(word)).map_or(0, |last| last + 1);
        &self.words[start..at]
    }

    /// Returns the class that `@file:JvmName("X")` specifies.
    fn jvm_name(&self) -> Option<String> {
        let place = self
            .words
            .windows(3)
            .position(|window| window[0].is("file") && window[1].is(":") && window[2].is("JvmName"))?;
        match self.words.get(place + 4) {
            Some(Word::Text(name)) => Some(name.clone()),
            _ => None,
        }
    }

    fn scala(&self, at: usize) -> Option<(String, bool)> {
        if self.parentheses > 0 {
            return None;
        }
        let word = &self.words[at];
        if word.is("App") && (self.after(at, "extends") || self.after(at, "with")) && self.depth == 0 {
            let object = self.pending.as_ref().filter(|scope| scope.keyword == "object")?;
            return Some((object.name.clone(), true));
        }
        if word.is("main") && self.after(at, "def") && self.depth == 1 {
            let object = self.scope().filter(|scope| scope.keyword == "object")?;
            let parameters = self.parameters(at + 1)?;
            let is_hidden =
                self.modifiers(at - 1).iter().any(|word| word.is("private") || word.is("protected"));
            let is_main =
                !is_hidden && is_scala_arguments(parameters) && self.returns_unit(at + 1, parameters);
            return is_main.then(|| (object.name.clone(), true));
        }
        // Scala 3: `@main def name` makes a class of that name.
        if word.is("main") && self.after(at, "@") && self.depth == 0 && self.word_is(at + 1, "def") {
            return Some((self.name_at(at + 2)?.to_owned(), true));
        }
        None
    }
}

/// Returns whether these are the parameters of a `main` in Java: `String[] args`, `String... args` or `String args[]`.
fn is_java_arguments(parameters: &[Word]) -> bool {
    let words = texts(parameters);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut rest = words.as_slice();
    while let ["final", others @ ..] | ["@", _, others @ ..] = rest {
        rest = others;
    }
    let rest = rest.strip_prefix(&["java", ".", "lang", "."]).unwrap_or(rest);
    matches!(rest, ["String", "[", "]", _] | ["String", _, "[", "]"] | ["String", ".", ".", ".", _])
}

/// Returns whether these are the parameters of a `main` in Kotlin: `args: Array<String>` or `vararg args: String`.
fn is_kotlin_arguments(parameters: &[Word]) -> bool {
    let words = texts(parameters);
    let plain = words.iter().map(String::as_str).filter(|word| !matches!(*word, "kotlin" | "." | "out"));
    let plain: Vec<&str> = plain.collect();
    let plain = plain.strip_suffix(&[","]).unwrap_or(&plain);
    matches!(plain, [_, ":", "Array", "<", "String", ">"] | ["vararg", _, ":", "String"])
}

/// Returns whether these are the parameters of a `main` in Scala: `args: Array[String]`.
fn is_scala_arguments(parameters: &[Word]) -> bool {
    const QUALIFIERS: [&str; 5] = ["scala", "Predef", "java", "lang", "."];
    let words = texts(parameters);
    let plain: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| !QUALIFIERS.contains(word)).collect();
    matches!(plain[..], [_, ":", "Array", "[", "String", "]"])
}

fn texts(words: &[Word]) -> Vec<String> {
    let text = |word: &Word| match word {
        Word::Name(text) | Word::Text(text) => text.clone(),
        Word::Sign(sign) => sign.to_string(),
    };
    words.iter().map(text).collect()
}

/// Returns the name of the class that Kotlin makes of a file's top-level functions.
fn kotlin_file_class(stem: &str) -> String {
    let cleaned: String =
        stem.chars().map(|c| if c.is_alphanumeric() || c == '_' || c == '$' { c } else { '_' }).collect();
    let mut characters = cleaned.chars();
    match characters.next() {
        Some(first) if first.is_ascii_digit() => format!("_{cleaned}Kt"),
        Some(first) => format!("{}{}Kt", first.to_uppercase(), characters.as_str()),
        None => "_Kt".to_owned(),
    }
}

#[cfg(test)]
mod tests;
