//! What is wanted, and what comes of it.

use crate::cache::{Cache, Key};
use crate::source::{self, Kind};
use crate::tools::{self, Runner};
use crate::{StatementError, html, inputs, pdf};
use model::Nanos;
use package::Package;
use serde_json::{Map, Value};

/// What is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// A PDF.
    Pdf,
    /// An HTML page that needs nothing else, with MathML.
    Page,
    /// The part of a page, whose formulas are TeX in `span`s of the classes `math inline` and `math display`.
    Fragment,
}

/// A problem of an order.
#[derive(Clone, Debug)]
pub struct Part<'p> {
    /// Its package.
    pub package: &'p Package,
    /// Its letter, if it has one.
    pub label: Option<String>,
    /// The time limit, if it is not the package's.
    pub time_limit: Option<Nanos>,
}

/// What stands before a set of problems.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cover {
    /// Its title.
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
    /// Its name for messages.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// What is wanted.
#[derive(Clone, Debug)]
pub struct Order<'p> {
    /// The problems.
    pub parts: Vec<Part<'p>>,
    /// The language; by default English, or else the first that there is.
    pub language: Option<&'p str>,
    /// What is made.
    pub output: Output,
    /// The cover of a set.
    pub cover: Option<Cover>,
    /// A template of the user's own.
    pub template: Option<Template>,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// HTML in UTF-8, or a PDF.
    pub content: Vec<u8>,
    /// What is shown differently from how it was meant, each with its line.
    pub warnings: Vec<String>,
    /// Whether it was built before.
    pub is_from_cache: bool,
}

/// Returns the languages of a package's statements, English first.
pub fn languages(package: &Package) -> Vec<String> {
    source::languages(package)
}

/// Builds statements, or takes them from the cache. `runner` is asked for only if something has to be built.
///
/// # Errors
/// When a package has no such statement or something wrong in it, a program is missing, or on an internal failure.
pub fn build<R: Runner, E: From<StatementError>>(
    order: &Order<'_>,
    runner: impl FnOnce() -> Result<R, E>,
    cache: Option<&Cache>,
) -> Result<Built, E> {
    let (parts, files, words) = inputs::prepare(order)?;
    if let [only] = parts.as_slice()
        && only.source.kind == Kind::Pdf
        && order.cover.is_none()
    {
        let content = only.source.bytes().to_vec();
        return Ok(Built { content, warnings: Vec::new(), is_from_cache: false });
    }
    let template = order.template.as_ref().map(|template| template.text.as_str());
    let output = format!("{:?} {:?} {}", order.output, order.cover, env!("CARGO_PKG_VERSION"));
    let versions = tools::versions();
    let assets = [pdf::TEMPLATE, pdf::PACKAGE, html::FILTER, html::COMMANDS, html::TEMPLATE, html::STYLE];
    let named = parts.iter().flat_map(|part| {
        [&part.label, &part.name, &part.time_limit, &part.memory_limit].map(String::as_bytes)
    });
    let key = Key::of(
        [output.as_bytes(), versions.as_bytes(), template.unwrap_or_default().as_bytes()]
            .into_iter()
            .chain(assets.map(str::as_bytes))
            .chain(named)
            .chain(files.iter().flat_map(|(name, content)| [name.as_bytes(), content.as_slice()])),
    );
    if let Some(found) = cache.and_then(|cache| cache.find(&key)) {
        return Ok(found);
    }
    let mut runner = runner()?;
    let (content, warnings) = match order.output {
        Output::Pdf => pdf::build(order, &parts, files, words, &mut runner)?,
        Output::Page | Output::Fragment => html::build(order, &parts, files, words, &mut runner)?,
    };
    let built = Built { content, warnings, is_from_cache: false };
    if let Some(cache) = cache {
        cache.keep(&key, &built)?;
    }
    Ok(built)
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
