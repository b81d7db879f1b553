//! What is wanted, and what is made of it.

use crate::Programs;
use crate::inputs;
use model::Nanos;
use package::Package;
use serde_json::{Map, Value};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    Pdf,
    /// An HTML page that needs nothing else, with MathML.
    Page,
    /// The part of a page, whose formulas are TeX in `span`s of the classes `math inline` and `math display`.
    Fragment,
}

/// A problem of an order.
#[derive(Clone, Debug)]
pub struct Part<'p> {
    pub package: &'p Package,
    pub label: Option<String>,
    /// The time limit, if it is not the package's.
    pub time_limit: Option<Nanos>,
}

/// What stands before a set of problems.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cover {
    pub title: String,
    /// A second line.
    pub subtitle: Option<String>,
    /// A date, as it is printed.
    pub date: Option<String>,
    /// Whether the contents follow.
    pub has_contents: bool,
}

/// A template instead of the built-in one, as pandoc fills it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    pub name: String,
    pub text: String,
}

#[derive(Clone, Debug)]
pub struct Order<'p> {
    pub parts: Vec<Part<'p>>,
    /// The language; by default English, or else the first that there is.
    pub language: Option<&'p str>,
    pub output: Output,
    pub cover: Option<Cover>,
    /// A template of the user's own.
    pub template: Option<Template>,
    /// Which programs may be used.
    pub programs: Programs,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// HTML in UTF-8, or a PDF.
    pub content: Vec<u8>,
    /// What is shown differently from how it was meant, each with its line.
    pub warnings: Vec<String>,
    /// Whether it is Markdown that was rendered plainly, since pandoc is missing.
    pub is_plain: bool,
    /// Whether it was built before.
    pub is_from_cache: bool,
}

/// Returns the variables that all templates have; `text` writes plain text as the format wants it.
pub(crate) fn variables(
    order: &Order<'_>,
    parts: &[inputs::Ready],
    words: &crate::words::Words,
    text: impl Fn(&str) -> String,
) -> Map<String, Value> {
    let mut all = Map::new();
    let mut set = |name: &str, value: Value| all.insert(name.to_owned(), value);
    if let Some(cover) = &order.cover {
        set("set", Value::Bool(true));
        set("title", text(&cover.title).into());
        for (name, value) in [("subtitle", &cover.subtitle), ("date", &cover.date)] {
            if let Some(value) = value {
                set(name, text(value).into());
            }
        }
        if cover.has_contents {
            set("toc", Value::Bool(true));
        }
    }
    let first = parts.first();
    let name = first.map_or("", |part| &part.name);
    set("pagetitle", text(order.cover.as_ref().map_or(name, |cover| &cover.title)).into());
    set("lang", first.map_or("en", |part| &part.source.language).into());
    let word = |(name, word): &(&str, &str)| ((*name).to_owned(), Value::from(text(word)));
    set("words", Value::Object(words.all.iter().map(word).collect()));
    let problem = |part: &inputs::Ready| {
        let fields = [
            ("folder", part.folder.clone()),
            ("body", part.body.clone()),
            ("samples", part.samples.clone()),
            ("label", text(&part.label)),
            ("name", text(&part.name)),
            ("time-limit", text(&part.time_limit)),
            ("memory-limit", text(&part.memory_limit)),
        ];
        Value::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect())
    };
    set("problems", Value::Array(parts.iter().map(problem).collect()));
    all
}
