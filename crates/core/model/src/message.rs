//! A sentence for people: in English, and as a code with parameters, from which a page makes it in its own language.

use crate::counted;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};

/// More names would not be read.
const NAMES_MAX: usize = 5;

/// Made by [`message!`](crate::message), or from a text without a code, which stays English.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The sentence in English.
    pub text: String,
    /// Which sentence; empty for a text that is in English only.
    pub code: Cow<'static, str>,
    pub parameters: Vec<(Cow<'static, str>, Parameter)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Parameter {
    Number(i64),
    Text(String),
    Names(Vec<String>),
    Messages(Vec<Message>),
}

/// A parameter, and how the English sentence has it.
pub struct Spoken {
    pub english: String,
    pub parameter: Parameter,
}

impl Display for Spoken {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.english)
    }
}

/// What can be a parameter: a text, such as an id, or one of the types below.
pub trait Speak {
    fn speak(&self) -> Spoken;
}

impl<T: Display + ?Sized> Speak for T {
    fn speak(&self) -> Spoken {
        let english = self.to_string();
        Spoken { parameter: Parameter::Text(english.clone()), english }
    }
}

/// How many of a thing: `Counted(2, "team")` is "2 teams".
pub struct Counted(pub usize, pub &'static str);

impl Speak for Counted {
    fn speak(&self) -> Spoken {
        Spoken { english: counted(self.0, self.1), parameter: Parameter::Number(number(self.0)) }
    }
}

/// A number of things that the sentence names itself.
pub struct Number<N>(pub N);

impl<N: TryInto<i64> + Display + Copy> Speak for Number<N> {
    fn speak(&self) -> Spoken {
        let parameter = Parameter::Number(self.0.try_into().unwrap_or(i64::MAX));
        Spoken { english: self.0.to_string(), parameter }
    }
}

/// Names of a thing: `Names("team", &["1", "2"])` is "teams 1, 2".
pub struct Names<'a, T>(pub &'static str, pub &'a [T]);

impl<T: Display> Speak for Names<'_, T> {
    fn speak(&self) -> Spoken {
        let Self(thing, names) = self;
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        let ending = if names.len() == 1 { "" } else { "s" };
        let first = names[..names.len().min(NAMES_MAX)].join(", ");
        let more = names.len().saturating_sub(NAMES_MAX);
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        Spoken { english: format!("{thing}{ending} {first}{rest}"), parameter: Parameter::Names(names) }
    }
}

/// Sentences within a sentence, and what is between them.
pub struct Joined<'a>(pub &'a [Message], pub &'static str);

impl Speak for Joined<'_> {
    fn speak(&self) -> Spoken {
        let texts: Vec<&str> = self.0.iter().map(|message| message.text.as_str()).collect();
        Spoken { english: texts.join(self.1), parameter: Parameter::Messages(self.0.to_vec()) }
    }
}

/// A value that may be absent: "none", and as a parameter an empty text.
pub struct OrNone<T>(pub Option<T>);

impl<T: Display> Speak for OrNone<T> {
    fn speak(&self) -> Spoken {
        match &self.0 {
            Some(value) => value.speak(),
            None => Spoken { english: "none".to_owned(), parameter: Parameter::Text(String::new()) },
        }
    }
}

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

impl Message {
    /// Returns that there is no such thing; the code is `no-` and the thing.
    pub fn none(what: &str, id: impl Display) -> Self {
        let Spoken { english, parameter } = id.speak();
        Self {
            text: format!("there is no {what} '{english}'"),
            code: format!("no-{}", what.replace(' ', "-")).into(),
            parameters: vec![("id".into(), parameter)],
        }
    }
}

impl From<String> for Message {
    fn from(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

impl From<&str> for Message {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl Display for Message {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

/// Makes a [`Message`]: its code, its English sentence and each parameter of it, as `name` or `name = value`. Code and sentence
/// are literals, and have no other placeholders than `{name}`, so that `docs/messages.json` can list them.
#[macro_export]
macro_rules! message {
    ($code:literal, $text:literal $(,)?) => {
        $crate::Message { text: $text.to_owned(), code: ::std::borrow::Cow::Borrowed($code), parameters: Vec::new() }
    };
    ($code:literal, $text:literal, $($name:ident $(= $value:expr)?),+ $(,)?) => {{
        $(let $name = $crate::Speak::speak(&$crate::message!(@value $name $(= $value)?));)+
        $crate::Message {
            text: format!($text, $($name = $name),+),
            code: ::std::borrow::Cow::Borrowed($code),
            parameters: vec![$((::std::borrow::Cow::Borrowed(stringify!($name)), $name.parameter)),+],
        }
    }};
    (@value $name:ident) => { $name };
    (@value $name:ident = $value:expr) => { $value };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_and_its_parameters_say_the_same() {
        let pool = "fast";
        let sent = message!(
            "test",
            "{count} in '{pool}': {names}",
            count = Counted(1, "team"),
            pool,
            names = Names("problem", &["A", "B"])
        );
        assert_eq!(sent.text, "1 team in 'fast': problems A, B");
        let names = vec!["A".to_owned(), "B".to_owned()];
        let expect = [
            ("count".into(), Parameter::Number(1)),
            ("pool".into(), Parameter::Text("fast".to_owned())),
            ("names".into(), Parameter::Names(names)),
        ];
        assert_eq!(sent.parameters, expect);
        let both = message!("both", "open: {parts}", parts = Joined(&[sent.clone(), "a text".into()], "; "));
        assert_eq!(both.text, "open: 1 team in 'fast': problems A, B; a text");
        assert_eq!(Names("team", &[1, 2, 3, 4, 5, 6, 7]).speak().english, "teams 1, 2, 3, 4, 5 and 2 more");
    }
}
