//! Codes of programming languages, as `languages`, `include/`, code templates and `submissions.yaml` name them.

use languages::Languages;

/// The codes in the format's table of languages.
const TABLE: &str = "ada algol68 apl bash c cgmp cobol cpp cppgmp crystal csharp d dart elixir erlang forth fortran fsharp \
gerbil go haskell java javaalgs4 javascript julia kotlin lisp lua modula2 nim objectivec ocaml octave odin pascal perl php \
prolog python2 python3 python3numpy racket ruby rust scala simula smalltalk snobol swift typescript visualbasic zig";

/// Returns what is wrong with a code and how to fix it; `None` if the format's table or tauto has such a language.
pub(crate) fn wrong(code: &str) -> Option<(String, String)> {
    if TABLE.split(' ').any(|known| known == code) || Languages::shared().get(code).is_some() {
        return None;
    }
    let table: Vec<&str> = TABLE.split(' ').collect();
    let remedy = match located::meant(code, &table) {
        Some(word) => format!("did you mean '{word}'?"),
        None => format!("use one of {}", table.join(", ")),
    };
    Some((format!("names the language '{code}', which does not exist"), remedy))
}

/// Returns whether a list of codes has this one, or another code of the same language.
pub(crate) fn allows(allowed: &[String], code: &str) -> bool {
    let languages = Languages::shared();
    let meant = |code: &str| languages.get(code).map_or(code.to_owned(), |known| known.id.clone());
    allowed.iter().any(|one| meant(one) == meant(code))
}
