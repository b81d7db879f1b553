//! HTML of packages without anything that acts: no script, no style, nothing loaded.

use ammonia::{Builder, UrlRelative};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// How deeply elements may be nested: the time to make them safe grows with its square.
pub(crate) const DEPTH_MAX: usize = 500;

/// Before the number of a picture, in place of its address.
pub(crate) const IMAGE: &str = "tauto-image-";
/// Before every id, so that none is one of the page's own.
const ID: &str = "statement-";

/// The classes that what is made here has; others could imitate the page.
const CLASSES: [&str; 17] = [
    "math",
    "inline",
    "display",
    "sample",
    "sample-pair",
    "sample-sides",
    "sample-read",
    "sample-write",
    "sample-pass",
    "illustration",
    "limits",
    "figure",
    "caption",
    "footnotes",
    "footnote-ref",
    "footnote-back",
    "smallcaps",
];

const MATHML: [&str; 31] = [
    "math",
    "semantics",
    "annotation",
    "mrow",
    "mi",
    "mo",
    "mn",
    "ms",
    "mtext",
    "mspace",
    "mfrac",
    "msqrt",
    "mroot",
    "msub",
    "msup",
    "msubsup",
    "munder",
    "mover",
    "munderover",
    "mmultiscripts",
    "mprescripts",
    "none",
    "mtable",
    "mtr",
    "mtd",
    "mstyle",
    "mpadded",
    "mphantom",
    "menclose",
    "mfenced",
    "merror",
];

const MATHML_ATTRIBUTES: [&str; 31] = [
    "display",
    "xmlns",
    "mathvariant",
    "stretchy",
    "fence",
    "separator",
    "separators",
    "form",
    "accent",
    "accentunder",
    "columnalign",
    "columnspacing",
    "columnlines",
    "rowspacing",
    "rowlines",
    "linethickness",
    "width",
    "height",
    "depth",
    "voffset",
    "lspace",
    "rspace",
    "minsize",
    "maxsize",
    "symmetric",
    "largeop",
    "movablelimits",
    "scriptlevel",
    "displaystyle",
    "notation",
    "encoding",
];

/// Returns what stands before the ids of a part.
pub(crate) fn prefix(folder: &str) -> String {
    format!("{ID}{folder}-")
}

/// Returns the same HTML with what is allowed only.
pub(crate) fn clean(html: &str) -> String {
    let mut builder = Builder::default();
    builder
        .add_tags(MATHML)
        .add_generic_attributes(["class", "id"])
        .add_tag_attributes("ol", ["type"])
        .add_tag_attributes("img", ["width"])
        .rm_tag_attributes("img", ["height", "title"])
        .url_schemes(HashSet::from(["http", "https", "mailto"]))
        .url_relative(UrlRelative::PassThrough)
        .link_rel(Some("noopener noreferrer"))
        .attribute_filter(attribute);
    for tag in MATHML {
        builder.add_tag_attributes(tag, MATHML_ATTRIBUTES);
    }
    builder.clean(html).to_string()
}

fn attribute<'v>(tag: &str, name: &str, value: &'v str) -> Option<Cow<'v, str>> {
    let is_allowed = match (tag, name) {
        ("img", "src") => value.starts_with(IMAGE),
        (_, "href") => ["#", "http://", "https://", "mailto:"].iter().any(|begin| value.starts_with(begin)),
        (_, "src" | "cite" | "data" | "action") => false,
        (_, "id") => value.starts_with(ID),
        (_, "class") => {
            let known: Vec<&str> = value.split_whitespace().filter(|class| CLASSES.contains(class)).collect();
            return (!known.is_empty()).then(|| Cow::Owned(known.join(" ")));
        }
        _ => true,
    };
    is_allowed.then_some(Cow::Borrowed(value))
}

/// Returns how deeply the elements of some HTML are nested at most, as far as each is closed by an end tag of its name. Where tags
/// may stand in what is no markup, such as a comment, no end tag counts: there it is a tenth of all start tags.
pub(crate) fn depth(html: &str) -> usize {
    const VOID: [&str; 8] = ["br", "hr", "img", "wbr", "col", "input", "mspace", "mprescripts"];
    // Elements with text alone, and the beginnings of comments and the like.
    const RAW: [&str; 11] = [
        "<!",
        "<?",
        "<textarea",
        "<title",
        "<style",
        "<script",
        "<xmp",
        "<iframe",
        "<noembed",
        "<noframes",
        "<plaintext",
    ];
    let lower = html.to_ascii_lowercase();
    let has_raw = RAW.iter().any(|begin| lower.contains(begin));
    let mut open: HashMap<&str, usize> = HashMap::new();
    let (mut depth, mut deepest, mut starts) = (0_usize, 0, 0);
    let mut rest = lower.as_str();
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let tag = rest.strip_prefix('/').unwrap_or(rest);
        if !tag.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
            continue;
        }
        let is_end = tag.len() < rest.len();
        let ends = |letter: char| letter.is_ascii_whitespace() || matches!(letter, '/' | '>');
        let (name, attributes) = tag.split_at(tag.find(ends).unwrap_or(tag.len()));
        rest = after_attributes(attributes);
        if VOID.contains(&name) {
            continue;
        }
        let count = open.entry(name).or_default();
        if !is_end {
            *count += 1;
            starts += 1;
            depth += 1;
            deepest = deepest.max(depth);
        } else if *count > 0 {
            *count -= 1;
            depth -= 1;
        }
    }
    if has_raw { deepest.max(starts / 10) } else { deepest }
}

/// Returns what follows the end of a tag. In a quoted value, which is after a `=`, no `>` ends it.
fn after_attributes(mut rest: &str) -> &str {
    while let Some(at) = rest.find(['>', '=']) {
        let is_end = rest[at..].starts_with('>');
        rest = &rest[at + 1..];
        if is_end {
            return rest;
        }
        let value = rest.trim_ascii_start();
        if let Some(quote) = value.chars().next().filter(|letter| matches!(letter, '"' | '\'')) {
            let Some(end) = value[1..].find(quote) else { return "" };
            rest = &value[end + 2..];
        }
    }
    ""
}

/// Returns plain text as HTML.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_acts_or_loads() {
        for hostile in [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "<img src=\"https://example.org/a.png\">",
            "<img src=\"data:image/svg+xml,<svg/>\">",
            "<a href=\"javascript:alert(1)\">a</a>",
            "<a href=\"data:text/html,x\">a</a>",
            "<a href=\"//example.org\">a</a>",
            "<iframe src=\"https://example.org\"></iframe>",
            "<object data=\"x.swf\"></object><embed src=\"x\">",
            "<link rel=stylesheet href=x><style>body{display:none}</style>",
            "<p style=\"position:fixed\" onclick=\"alert(1)\">a</p>",
            "<form action=\"https://example.org\"><input name=a><button>b</button></form>",
            "<svg><script>alert(1)</script><a xlink:href=\"javascript:alert(1)\">a</a></svg>",
            "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">",
            "<math href=\"javascript:alert(1)\"><annotation-xml encoding=\"text/html\"><script>alert(1)</script></annotation-xml></math>",
            "<meta http-equiv=refresh content=\"0;url=https://example.org\"><base href=\"https://example.org\">",
            "<video src=x autoplay></video><audio src=x></audio><template><script>alert(1)</script></template>",
            "<blockquote cite=\"https://example.org\">a</blockquote>",
        ] {
            let cleaned = clean(hostile);
            for bad in [
                "<script",
                "onerror=",
                "onclick",
                "javascript:",
                "example.org",
                "data:",
                "<style",
                "style=",
                "<iframe",
                "<form",
                "<svg",
                "<meta",
                "<base",
                "src=",
                "autoplay",
            ] {
                let is_text = bad.ends_with('=') && !cleaned.contains('<');
                assert!(!cleaned.contains(bad) || is_text, "{hostile} -> {cleaned}");
            }
        }
    }

    #[test]
    fn depth_counts_what_is_open() {
        for (html, expect) in [
            ("a < b <!-- c -->", 0),
            ("<p>a</p><p>b<br>c</p>", 1),
            ("<ul><li><p>a</p></li></ul>", 3),
            ("<div></x><div></x><div>", 3),
            ("</div></div><div>", 1),
            (&"<div title=\"</div>\">".repeat(3), 3),
            (&"<div a = '</div>' b=\"x\">".repeat(3), 3),
            (&"<div\"></div>".repeat(3), 3),
            (&"<div \"></div>".repeat(3), 1),
            (&"<div><!--</div>-->".repeat(30), 3),
            (&"<textarea><div></textarea></div>".repeat(30), 6),
        ] {
            assert_eq!(depth(html), expect, "{html}");
        }
    }

    #[test]
    fn elements_that_statements_need_stay() {
        for kept in [
            "<math display=\"inline\"><semantics><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><annotation encoding=\"application/x-tex\">a+b</annotation></semantics></math>",
            "<span class=\"math inline\">\\frac{1}{2} &lt; x</span>",
            "<img src=\"tauto-image-p1-0\" alt=\"a chain\" width=\"50%\">",
            "<table><thead><tr><th align=\"left\">a</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table>",
            "<h2 id=\"statement-p1-input\">Input</h2>",
            "<ol start=\"3\" type=\"a\"><li>a</li></ol>",
            "<pre>1 2\n3</pre>",
        ] {
            assert_eq!(clean(kept), kept);
        }
        assert_eq!(clean("<p class=\"admin sample\" id=\"root\">a</p>"), "<p class=\"sample\">a</p>");
        assert_eq!(
            clean("<a href=\"https://example.org/x\">a</a>"),
            "<a href=\"https://example.org/x\" rel=\"noopener noreferrer\">a</a>"
        );
    }
}
