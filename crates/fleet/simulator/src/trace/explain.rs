//! What is wrong with a line that serde refuses.

use super::Standing;
use super::check::{
    AT_MS, CPU_MILLI, FOR_MS, Limit, MEMORY_MIB, NAME_EXPECTED, NOISE_PERMILLE, NUMA_NODES, PRICE, THREADS,
    USE_MILLI, Wrong, is_name, shown,
};
use placement::Level;
use serde_json::Value;

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Head,
    Host,
    Change,
    Job,
    End,
}

/// What a field holds.
enum Shape {
    Whole(&'static Limit),
    Name,
    Names,
    Text,
    Flag,
    Level,
    Standing,
    Uses,
}

struct Field {
    name: &'static str,
    is_required: bool,
    shape: Shape,
}

const fn must(name: &'static str, shape: Shape) -> Field {
    Field { name, is_required: true, shape }
}

const fn may(name: &'static str, shape: Shape) -> Field {
    Field { name, is_required: false, shape }
}

const COUNT: Limit = Limit { what: "records", min: 0, max: u64::MAX };
const TRACE_VERSION: Limit = Limit { what: "a version", min: 1, max: u64::MAX };

const HEAD: &[Field] = &[
    must("trace", Shape::Whole(&TRACE_VERSION)),
    must("name", Shape::Name),
    may("made_by", Shape::Text),
    may("separate_days", Shape::Flag),
    may("note", Shape::Text),
];
const HOST: &[Field] = &[
    must("host", Shape::Name),
    may("at_ms", Shape::Whole(&AT_MS)),
    must("cpu_milli", Shape::Whole(&CPU_MILLI)),
    must("memory_mib", Shape::Whole(&MEMORY_MIB)),
    may("numa_nodes", Shape::Whole(&NUMA_NODES)),
    may("threads", Shape::Whole(&THREADS)),
    may("pool", Shape::Name),
    may("cluster", Shape::Name),
    may("labels", Shape::Names),
    may("noise_permille", Shape::Whole(&NOISE_PERMILLE)),
    may("price", Shape::Whole(&PRICE)),
];
const CHANGE: &[Field] =
    &[must("change", Shape::Name), must("at_ms", Shape::Whole(&AT_MS)), must("to", Shape::Standing)];
const JOB: &[Field] = &[
    must("job", Shape::Name),
    must("at_ms", Shape::Whole(&AT_MS)),
    must("cpu_milli", Shape::Whole(&CPU_MILLI)),
    must("memory_mib", Shape::Whole(&MEMORY_MIB)),
    may("level", Shape::Level),
    may("service", Shape::Name),
    may("pool", Shape::Name),
    may("cluster", Shape::Name),
    may("needs", Shape::Names),
    may("apart", Shape::Flag),
    may("noise_max_permille", Shape::Whole(&NOISE_PERMILLE)),
    may("for_ms", Shape::Whole(&FOR_MS)),
    may("use", Shape::Uses),
    may("elastic", Shape::Flag),
];
const END: &[Field] = &[must("end", Shape::Whole(&COUNT))];

impl Kind {
    fn fields(self) -> &'static [Field] {
        match self {
            Self::Head => HEAD,
            Self::Host => HOST,
            Self::Change => CHANGE,
            Self::Job => JOB,
            Self::End => END,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Head => "the first line",
            Self::Host => "a host",
            Self::Change => "a change",
            Self::Job => "a job",
            Self::End => "the end",
        }
    }
}

/// Says why a line is not JSON.
pub fn syntax(error: &serde_json::Error) -> Wrong {
    let text = error.to_string();
    let why = text.split(" at line ").next().unwrap_or_default();
    Wrong::line(format!("is not JSON ({why} in column {}); expected one record", error.column()))
}

/// Says what is wrong with a line that should be of a kind.
pub fn explain(kind: Kind, line: &[u8], error: &serde_json::Error) -> Wrong {
    let object = match serde_json::from_slice(line) {
        Ok(Value::Object(object)) => object,
        Ok(_) => return Wrong::line("is no object; expected one record: {\"job\":...}"),
        Err(error) => return syntax(&error),
    };
    let fields = kind.fields();
    for name in object.keys() {
        if !fields.iter().any(|field| field.name == name) {
            let names: Vec<_> = fields.iter().map(|field| field.name).collect();
            return Wrong::new(
                &shown(name),
                format!("{} has no such field; {}", kind.word(), choose(name, &names)),
            );
        }
    }
    for Field { name, is_required, shape } in fields {
        match object.get(*name) {
            None if *is_required => {
                return Wrong::new(name, format!("is missing; expected {}", shape.expected()));
            }
            Some(value) if !shape.fits(value) => return Wrong::new(name, shape.complaint(value)),
            _ => {}
        }
    }
    // What remains is a field that comes twice, which the object above does not show.
    let text = error.to_string();
    match text.strip_prefix("duplicate field `").and_then(|rest| rest.split_once('`')) {
        Some((name, _)) => Wrong::new(name, "stands twice; remove one of them"),
        None => syntax(error),
    }
}

/// Names the nearest of some words, and all of them.
fn choose(word: &str, words: &[&str]) -> String {
    // The distance takes memory for each letter, and a line may be one word; long ones are near to nothing.
    let distance = |known: &&&str| strsim::damerau_levenshtein(known, word);
    let nearest = words.iter().filter(|known| word.len() <= known.len() + 8).min_by_key(distance);
    let hint = nearest.filter(|known| distance(known) <= 2);
    let hint = hint.map(|known| format!("did you mean '{known}'? ")).unwrap_or_default();
    format!("{hint}expected one of {}", words.join(", "))
}

impl Shape {
    fn fits(&self, value: &Value) -> bool {
        let one_of = |ids: &[&str]| value.as_str().is_some_and(|text| ids.contains(&text));
        match self {
            Self::Whole(limit) => value.is_null() || value.as_u64().is_some_and(|number| limit.has(number)),
            Self::Name => value.is_null() || value.as_str().is_some_and(is_name),
            Self::Names => {
                value.as_array().is_some_and(|names| names.iter().all(|name| Self::Name.fits(name)))
            }
            Self::Text => value.is_string(),
            Self::Flag => value.is_boolean(),
            Self::Level => one_of(&Level::ALL.map(Level::id)),
            Self::Standing => one_of(&Standing::ALL.map(Standing::id)),
            Self::Uses => value.as_array().is_some_and(|uses| uses.iter().all(is_use)),
        }
    }

    fn expected(&self) -> String {
        match self {
            Self::Whole(limit) => limit.to_string(),
            Self::Name => NAME_EXPECTED.to_owned(),
            Self::Names => "a list of names".to_owned(),
            Self::Text => "a text".to_owned(),
            Self::Flag => "true or false".to_owned(),
            Self::Level => format!("one of {}", Level::ALL.map(Level::id).join(", ")),
            Self::Standing => format!("one of {}", Standing::ALL.map(Standing::id).join(", ")),
            Self::Uses => format!("a list of [offset in milliseconds, {USE_MILLI}]"),
        }
    }

    fn complaint(&self, value: &Value) -> String {
        let found = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        match self {
            Self::Whole(limit) if value.is_number() => limit.complaint(&found),
            Self::Level if value.is_string() => {
                format!("'{}' is no level; {}", shown(&found), choose(&found, &Level::ALL.map(Level::id)))
            }
            Self::Standing if value.is_string() => {
                format!(
                    "'{}' is nothing a host can be; {}",
                    shown(&found),
                    choose(&found, &Standing::ALL.map(Standing::id))
                )
            }
            Self::Uses => {
                let wrong = value.as_array().and_then(|uses| uses.iter().find(|segment| !is_use(segment)));
                format!(
                    "'{}' cannot be used; expected {}",
                    shown(&wrong.unwrap_or(value).to_string()),
                    self.expected()
                )
            }
            _ => format!("'{}' cannot be used; expected {}", shown(&found), self.expected()),
        }
    }
}

fn is_use(segment: &Value) -> bool {
    let Some([offset, cpu_milli]) = segment.as_array().map(Vec::as_slice) else { return false };
    let within = |value: &Value, limit: &Limit| value.as_u64().is_some_and(|number| limit.has(number));
    within(offset, &AT_MS) && within(cpu_milli, &USE_MILLI)
}
