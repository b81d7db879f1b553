//! Everything from which statements are made, as files in memory: the sources of all parts, samples, words.

use crate::order::{Order, Output};
use crate::polygon::{self, Polygon};
use crate::source::{self, Kind, Source};
use crate::words::{self, Words, is_rtl};
use crate::{Fault, StatementError, check, lua, samples};
use model::Nanos;
use package::TimeLimitRule;
use std::collections::BTreeMap;

const IMAGES: [&str; 5] = ["png", "jpg", "jpeg", "svg", "pdf"];

/// Files by their names in the folder of sources.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// A part with everything that is known of it.
#[derive(Debug)]
pub(crate) struct Ready {
    pub(crate) source: Source,
    pub(crate) folder: String,
    /// The file that TeX reads as its text.
    pub(crate) body: String,
    /// The definitions of its samples for TeX.
    pub(crate) samples: String,
    /// The file with what the filter reads.
    pub(crate) data: String,
    pub(crate) label: String,
    pub(crate) name: String,
    pub(crate) time_limit: String,
    pub(crate) memory_limit: String,
    /// Its pictures, and what stands for them in what is made.
    pub(crate) images: BTreeMap<String, String>,
    pub(crate) shown: Vec<samples::Sample>,
    /// What may be a mistake in its text.
    pub(crate) cautions: Vec<Fault>,
    /// What it has of Polygon, if it is of there.
    pub(crate) polygon: Option<Polygon>,
}

impl Ready {
    pub(crate) fn file(&self) -> String {
        format!("{}/{}", self.folder, self.source.name)
    }

    /// Returns what a statement of Polygon says otherwise than its package.
    pub(crate) fn differences(&self) -> Vec<Fault> {
        let Some(polygon) = &self.polygon else { return Vec::new() };
        let Some((line, time, memory)) = &polygon.limits else { return Vec::new() };
        let mut problems = Vec::new();
        let number = |text: &str| text.split_whitespace().next()?.replace(',', ".").parse::<f64>().ok();
        for (what, stated, real) in [("time", time, &self.time_limit), ("memory", memory, &self.memory_limit)]
        {
            if number(stated).zip(number(real)).is_some_and(|(stated, real)| stated != real) {
                problems.push(format!(
                    "the {what} limit here is '{stated}', but the package's, which is shown, is {real}"
                ));
            }
        }
        let shown = self.shown.len();
        if let Some(samples) = polygon.samples.filter(|samples| *samples != shown) {
            problems
                .push(format!("examples here: {shown}, which are shown; samples of the package: {samples}"));
        }
        let place = self.source.place(&self.source.name);
        problems.into_iter().map(|problem| Fault::of(place.clone(), Some(*line), problem)).collect()
    }

    /// Returns the statement and the other texts of its folder that it may include, by their names there.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&str, String)> {
        let others = self.source.files.iter().filter(|(name, _)| {
            name.ends_with(".tex") && !name.starts_with("problem.") && **name != self.source.name
        });
        let others = others.map(|(name, bytes)| (name.as_str(), String::from_utf8_lossy(bytes).into_owned()));
        std::iter::once((self.source.name.as_str(), self.source.text())).chain(others)
    }

    /// Returns those pictures whose name ends so and that the text may name, with or without the ending.
    pub(crate) fn used_images<'r>(
        &'r self,
        ending: &'r str,
    ) -> impl Iterator<Item = (&'r String, &'r String)> {
        let text = self.source.text();
        self.images.iter().filter(move |(name, _)| {
            name.strip_suffix(ending)
                .is_some_and(|stem| stem.ends_with('.') && text.contains(stem.trim_end_matches('.')))
        })
    }
}

/// Prepares what is wanted, as the sources of `output`: HTML is checked by making a PDF of the same statements.
pub(crate) fn prepare(
    order: &Order<'_>,
    output: Output,
) -> Result<(Vec<Ready>, Files, &'static Words), StatementError> {
    let mut files = Files::new();
    let mut parts = Vec::with_capacity(order.parts.len());
    let is_alone = order.parts.len() == 1;
    let is_pdf = output == Output::Pdf;
    let prefers_pdf = order.output == Output::Pdf && is_alone;
    let mut language = order.language.map(str::to_owned);
    for (at, part) in order.parts.iter().enumerate() {
        let mut source = source::read(part.package, order.language, prefers_pdf)?;
        let cautions = check::check(&source)?;
        let polygon = if source.kind == Kind::Tex { polygon::replace(&mut source)? } else { None };
        // The words of a set are those of its first problem.
        let language = language.get_or_insert_with(|| source.language.clone());
        let words = words::of(if is_alone { &source.language } else { language });
        let folder = format!("p{}", at + 1);
        if source.kind == Kind::Pdf && !is_pdf {
            return Err(StatementError::NoText { file: source.place(&source.name) });
        }
        let name = part.package.names.get(&source.language).or_else(|| part.package.names.values().next());
        let time_limit = match (part.time_limit, &part.package.time_limit) {
            (Some(limit), _) => seconds(limit, words),
            (None, TimeLimitRule::Given { limit, .. }) => seconds(*limit, words),
            (None, TimeLimitRule::Derive { .. }) => String::new(),
        };
        let mut ready = Ready {
            body: match source.kind {
                Kind::Tex if source.text().contains("\\problemname") => format!("{folder}/{}", source.name),
                _ => format!("tauto/{folder}-body.tex"),
            },
            samples: format!("tauto/{folder}-samples.tex"),
            data: format!("tauto/{folder}.lua"),
            label: part.label.clone().unwrap_or_default(),
            name: name.unwrap_or(&part.package.short_name).clone(),
            time_limit,
            memory_limit: format!("{} {}", part.package.limits.memory.0 >> 20, words.mebibyte),
            images: BTreeMap::new(),
            shown: Vec::new(),
            cautions,
            polygon,
            source,
            folder,
        };
        for (name, content) in &ready.source.files {
            files.insert(format!("{}/{name}", ready.folder), content.clone());
        }
        ready.images = images(&ready, is_pdf);
        ready.shown = match &mut ready.polygon {
            _ if ready.source.kind == Kind::Pdf => Vec::new(),
            Some(polygon) if !polygon.examples.is_empty() => {
                polygon.samples = Some(samples::read(part.package)?.len());
                let examples = std::mem::take(&mut polygon.examples);
                examples.into_iter().map(|(input, output)| samples::Sample::Pair(input, output)).collect()
            }
            _ => samples::read(part.package)?,
        };
        files.insert(ready.data.clone(), data(&ready, order, words).into_bytes());
        if is_pdf {
            let prefix = format!("tauto/{}-sample", ready.folder);
            let mut tex = names(words, &ready.source.language);
            tex.push_str(&samples::as_tex(&ready.shown, &prefix, words, |name, content| {
                files.insert(name, content);
            }));
            files.insert(ready.samples.clone(), tex.into_bytes());
        }
        parts.push(ready);
    }
    let words = words::of(parts.first().map_or("en", |first| &first.source.language));
    Ok((parts, files, words))
}

/// Returns what stands for each picture: its name, or that of the file into which it is converted.
fn images(part: &Ready, is_pdf: bool) -> BTreeMap<String, String> {
    let is_image = |name: &&String| {
        name.rsplit_once('.').is_some_and(|(_, ending)| IMAGES.contains(&ending))
            && **name != part.source.name
    };
    let target = |(at, name): (usize, &String)| {
        let target = match (is_pdf, name.ends_with(".svg")) {
            (true, false) => name.clone(),
            (true, true) => format!("{}-{at}.pdf", part.folder),
            (false, _) => format!("{}-{at}", part.folder),
        };
        (name.clone(), target)
    };
    part.source.files.keys().filter(is_image).enumerate().map(target).collect()
}

/// Writes the words of Polygon's sections, which templates of others do not have, and the direction.
fn names(words: &Words, language: &str) -> String {
    let names =
        ["example", "examples", "note", "scoring", "explanation", "constraints", "input-file", "output-file"];
    let name = |name: &str| format!("\\def\\tautoword{}{{{}}}\n", name.replace('-', ""), words.get(name));
    let direction = if is_rtl(language) { "\\tautortl\n" } else { "" };
    names.map(name).concat() + direction
}

/// Writes what the filter reads.
fn data(part: &Ready, order: &Order<'_>, words: &Words) -> String {
    let mut fields = vec![
        ("words", lua::table(words.all.iter().map(|(name, word)| (*name, lua::text(word))))),
        ("samples", samples::as_lua(&part.shown, words)),
        ("images", lua::table(part.images.iter().map(|(name, target)| (name.as_str(), lua::text(target))))),
        ("name", lua::text(&part.name)),
        ("rtl", is_rtl(&part.source.language).to_string()),
        ("tex", (part.source.kind == Kind::Tex).to_string()),
    ];
    if order.output == Output::Page {
        let prefix = match part.label.as_str() {
            "" => String::new(),
            label => format!("{} {label}. ", words.get("problem")),
        };
        let limits = [("time-limit", &part.time_limit), ("memory-limit", &part.memory_limit)];
        let limits = limits.iter().filter(|(_, limit)| !limit.is_empty());
        let limits = limits.map(|(name, limit)| lua::text(&format!("{}: {limit}", words.get(name))));
        fields.push(("heading", lua::text(&prefix)));
        fields.push(("anchor", lua::text(&part.folder)));
        fields.push(("limits", lua::list(limits)));
    }
    format!("return {}\n", lua::table(fields))
}

fn seconds(limit: Nanos, words: &Words) -> String {
    let text = format!("{:.3}", limit.as_secs_f64());
    format!("{} {}", text.trim_end_matches('0').trim_end_matches('.'), words.second)
}
