//! Everything from which statements are made, as files in memory: the sources of all parts, samples, words.

use crate::order::{Order, Output};
use crate::source::{self, Kind, Source};
use crate::words::{self, Words};
use crate::{StatementError, lua, samples};
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
}

impl Ready {
    pub(crate) fn file(&self) -> String {
        format!("{}/{}", self.folder, self.source.name)
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

pub(crate) fn prepare(order: &Order<'_>) -> Result<(Vec<Ready>, Files, &'static Words), StatementError> {
    let mut files = Files::new();
    let mut parts = Vec::with_capacity(order.parts.len());
    let is_alone = order.parts.len() == 1;
    let is_pdf = order.output == Output::Pdf;
    let mut language = order.language.map(str::to_owned);
    for (at, part) in order.parts.iter().enumerate() {
        let source = source::read(part.package, order.language, is_pdf && is_alone)?;
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
            source,
            folder,
        };
        for (name, content) in &ready.source.files {
            files.insert(format!("{}/{name}", ready.folder), content.clone());
        }
        ready.images = images(&ready, is_pdf);
        let shown = if ready.source.kind == Kind::Pdf { Vec::new() } else { samples::read(part.package) };
        files.insert(ready.data.clone(), data(&ready, order, &shown, words).into_bytes());
        if is_pdf {
            let prefix = format!("tauto/{}-sample", ready.folder);
            let tex = samples::as_tex(&shown, &prefix, words, |name, content| {
                files.insert(name, content);
            });
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

/// Writes what the filter reads.
fn data(part: &Ready, order: &Order<'_>, shown: &[samples::Sample], words: &Words) -> String {
    let mut fields = vec![
        ("words", lua::table(words.all.iter().map(|(name, word)| (*name, lua::text(word))))),
        ("samples", samples::as_lua(shown, words)),
        ("images", lua::table(part.images.iter().map(|(name, target)| (name.as_str(), lua::text(target))))),
        ("name", lua::text(&part.name)),
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
