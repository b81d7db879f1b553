//! Markdown as the part of a page where pandoc is missing: what CommonMark has, tables, footnotes, formulas, pictures and
//! samples. Nothing runs, so nothing of the package is read but its texts and pictures.

use crate::check::line_at;
use crate::html::{check_size, embedded_as_it_is, with_direction};
use crate::inputs::Ready;
use crate::safe::{self, IMAGE, escape};
use crate::words::Words;
use crate::{Fault, samples};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, TextMergeWithOffset, html};
use std::ops::Range;

/// Returns safe HTML of all parts, and what is shown differently from how it was meant.
pub(crate) fn build(parts: &[Ready], words: &Words) -> Result<(Vec<u8>, Vec<String>), Fault> {
    let mut all = String::new();
    let mut warnings = Vec::new();
    for part in parts {
        all.push_str(&fragment(part, words, &mut warnings)?);
    }
    Ok((all.into_bytes(), warnings))
}

fn fragment(part: &Ready, words: &Words, warnings: &mut Vec<String>) -> Result<String, Fault> {
    let text = part.source.text();
    let place = part.source.place(&part.source.name);
    let fault =
        |at: &Range<usize>, what: String| Fault::of(place.clone(), Some(line_at(&text, at.start)), what);
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_DEFINITION_LIST
        | Options::ENABLE_MATH;
    let parser = TextMergeWithOffset::new(Parser::new_ext(&text, options).into_offset_iter());
    let mut events: Vec<(Event<'_>, Range<usize>)> = parser.collect();
    let mut samples = samples::as_html(&part.shown, words).into_iter();
    let mut is_after_image = false;
    let mut depth = 0_usize;
    for at in 0..events.len() {
        let is_paragraph = at > 0
            && matches!(events[at - 1].0, Event::Start(Tag::Paragraph))
            && matches!(events.get(at + 1), Some((Event::End(TagEnd::Paragraph), _)));
        let (event, range) = &mut events[at];
        let range = range.clone();
        let follows_image =
            std::mem::replace(&mut is_after_image, matches!(event, Event::End(TagEnd::Image)));
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > safe::DEPTH_MAX {
            return Err(fault(&range, format!("is nested more deeply than {} times", safe::DEPTH_MAX)));
        }
        match event {
            // Unpaired tags could make a browser, and what makes HTML safe, repeat them without end.
            Event::Html(tags) | Event::InlineHtml(tags) => {
                let tags = std::mem::replace(tags, "".into());
                *event = Event::Text(tags);
            }
            Event::InlineMath(formula) => {
                *event = Event::InlineHtml(
                    format!("<span class=\"math inline\">{}</span>", escape(formula)).into(),
                );
            }
            Event::DisplayMath(formula) => {
                *event = Event::InlineHtml(
                    format!("<span class=\"math display\">{}</span>", escape(formula)).into(),
                );
            }
            Event::Start(Tag::Image { dest_url, .. }) => {
                let name = image_file(part, dest_url).ok_or_else(|| {
                    let problem = "is not in the folder of the statement: images come from there alone";
                    fault(&range, format!("the image '{dest_url}' {problem}"))
                })?;
                if name.ends_with(".pdf") {
                    let problem = "is a PDF, which is left out: pandoc, which has it converted, is missing";
                    warnings.push(fault(&range, format!("the image '{name}' {problem}")).to_string());
                }
                *dest_url = format!("{IMAGE}{}", part.images[name]).into();
            }
            // Attributes of a picture, such as `{width=50%}`.
            Event::Text(text) if follows_image && text.starts_with('{') => {
                if let Some((_, rest)) = text.split_once('}') {
                    *text = rest.to_owned().into();
                }
            }
            Event::Text(text) if is_paragraph && text.trim() == "{{nextsample}}" => {
                let problem = "{{nextsample}} stands here, but no sample is left";
                let sample = samples.next().ok_or_else(|| fault(&range, problem.to_owned()))?;
                *event = Event::Html(sample.into());
            }
            Event::Text(text) if is_paragraph && text.trim() == "{{remainingsamples}}" => {
                *event = Event::Html(samples.by_ref().collect::<String>().into());
            }
            _ => {}
        }
    }
    let mut made = String::new();
    html::push_html(&mut made, events.into_iter().map(|(event, _)| event));
    made.extend(samples);
    let mut made = safe::clean(&made).replace("<p></p>", "");
    for (name, target) in &part.images {
        let wanted = format!("src=\"{IMAGE}{target}\"");
        let times = made.matches(&wanted).count();
        if times > 0 {
            let source = embedded_as_it_is(part, name).map(|address| format!("src=\"{address}\""));
            let source = source.unwrap_or_default();
            check_size(part, made.len() + times * source.len())?;
            made = made.replace(&wanted, &source);
        }
    }
    Ok(with_direction(made, &part.source.language))
}

/// Returns the picture that is meant, with or without its ending.
fn image_file<'p>(part: &'p Ready, name: &str) -> Option<&'p String> {
    let endings = ["", ".png", ".jpg", ".jpeg", ".svg", ".pdf"];
    endings
        .iter()
        .find_map(|ending| part.images.get_key_value(&format!("{name}{ending}")))
        .map(|(name, _)| name)
}
