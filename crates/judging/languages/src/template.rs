//! Command templates: `{name}` in an argument stands for a value of the submission.

/// The folder with the sources while compiling, and with everything that was built while running.
pub(super) const PROGRAM_FOLDER: &str = "/program";

/// The name of a compiled program; submissions must not contain a file of this name.
pub(super) const BINARY_NAME: &str = "program.bin";

/// The placeholders that a definition may use.
const KNOWN: [&str; 9] =
    ["files", "file", "mainfile", "mainstem", "mainfolder", "mainclass", "memory_mib", "binary", "path"];

/// The heap is the only placeholder that needs another field.
pub(super) const HEAP: &str = "heap_mib";

pub(super) struct Values<'a> {
    pub(super) files: &'a [&'a str],
    pub(super) main_file: Option<&'a str>,
    pub(super) main_class: Option<&'a str>,
    pub(super) memory_mib: u64,
    pub(super) heap_mib: u64,
}

/// Lists the placeholders of an argument; fails with the first unknown one.
pub(super) fn check(argument: &str, has_heap: bool) -> Result<(), String> {
    for name in placeholders(argument) {
        if name == HEAP && !has_heap {
            return Err("'{heap_mib}' needs the field 'heap', which says how much is kept back".to_owned());
        }
        if name != HEAP && !KNOWN.contains(&name) {
            let near = KNOWN
                .iter()
                .chain([&HEAP])
                .min_by_key(|known| strsim::damerau_levenshtein(known, name))
                .unwrap_or(&KNOWN[0]);
            return Err(format!("'{{{name}}}' is not a placeholder; did you mean '{{{near}}}'?"));
        }
        if name == "files" && argument != "{files}" {
            return Err("'{files}' becomes several arguments, so it must stand alone in its own".to_owned());
        }
    }
    Ok(())
}

/// Returns whether any argument contains the placeholder.
pub(super) fn uses(arguments: &[String], name: &str) -> bool {
    arguments.iter().any(|argument| placeholders(argument).any(|found| found == name))
}

/// Makes the commands of one compile step: one, or one for each file if it names `{file}`.
pub(super) fn commands(step: &[String], values: &Values<'_>) -> Vec<Vec<String>> {
    if uses(step, "file") {
        values.files.iter().map(|file| command(step, values, Some(file))).collect()
    } else {
        vec![command(step, values, None)]
    }
}

pub(super) fn command(template: &[String], values: &Values<'_>, file: Option<&str>) -> Vec<String> {
    let mut arguments = Vec::with_capacity(template.len() + values.files.len());
    for argument in template {
        if argument == "{files}" {
            arguments.extend(values.files.iter().map(|&file| file.to_owned()));
        } else {
            arguments.push(expand(argument, values, file));
        }
    }
    arguments
}

/// Replaces the placeholders of one argument.
pub(super) fn expand(argument: &str, values: &Values<'_>, file: Option<&str>) -> String {
    let main_file = values.main_file.unwrap_or_default();
    let mut text = String::with_capacity(argument.len());
    let mut rest = argument;
    while let Some((start, name)) = next_placeholder(rest) {
        text.push_str(&rest[..start]);
        match name {
            "file" => text.push_str(file.unwrap_or_default()),
            "mainfile" => text.push_str(main_file),
            "mainstem" => text.push_str(main_file.rsplit_once('.').map_or(main_file, |(stem, _)| stem)),
            "mainfolder" => text.push_str(main_file.rsplit_once('/').map_or(".", |(folder, _)| folder)),
            "mainclass" => text.push_str(values.main_class.unwrap_or_default()),
            "memory_mib" => text.push_str(&values.memory_mib.to_string()),
            HEAP => text.push_str(&values.heap_mib.to_string()),
            "binary" => {
                text.push_str(PROGRAM_FOLDER);
                text.push('/');
                text.push_str(BINARY_NAME);
            }
            "path" => text.push_str(PROGRAM_FOLDER),
            // `check` rejected all others when the definition was read.
            _ => {}
        }
        rest = &rest[start + name.len() + 2..];
    }
    text.push_str(rest);
    text
}

fn placeholders(argument: &str) -> impl Iterator<Item = &str> {
    let mut rest = argument;
    std::iter::from_fn(move || {
        let (start, name) = next_placeholder(rest)?;
        rest = &rest[start + name.len() + 2..];
        Some(name)
    })
}

/// Finds the next `{name}`; braces around anything but lower-case letters and `_` are plain text,
/// and so is the shell's `${name}`.
fn next_placeholder(text: &str) -> Option<(usize, &str)> {
    let mut from = 0;
    loop {
        let start = from + text[from..].find('{')?;
        let name = text[start + 1..].split('}').next().unwrap_or_default();
        let closed = text[start + 1 + name.len()..].starts_with('}');
        let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        if closed && is_name && !text[..start].ends_with('$') {
            return Some((start, name));
        }
        from = start + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values<'a>(files: &'a [&'a str]) -> Values<'a> {
        Values {
            files,
            main_file: Some("sub/Main.hs"),
            main_class: Some("org.Main"),
            memory_mib: 256,
            heap_mib: 176,
        }
    }

    fn strings(arguments: &[&str]) -> Vec<String> {
        arguments.iter().map(|&argument| argument.to_owned()).collect()
    }

    #[test]
    fn each_placeholder_becomes_its_value() {
        let values = values(&["a.c", "b c.c"]);
        for (template, expected) in [
            ("{mainfile}", "sub/Main.hs"),
            ("{path}/{mainstem}.js", "/program/sub/Main.js"),
            ("-i{mainfolder}", "-isub"),
            ("{mainclass}", "org.Main"),
            ("-Xmx{heap_mib}m of {memory_mib}", "-Xmx176m of 256"),
            ("-o{binary}", "-o/program/program.bin"),
            ("no {Placeholder} {} ${x}", "no {Placeholder} {} ${x}"),
        ] {
            assert_eq!(expand(template, &values, None), expected);
        }
    }

    #[test]
    fn files_become_arguments_of_their_own() {
        let values = values(&["a.c", "b c.c"]);
        assert_eq!(
            commands(&strings(&["cc", "{files}", "-lm"]), &values),
            [strings(&["cc", "a.c", "b c.c", "-lm"])]
        );
    }

    #[test]
    fn a_step_with_file_is_run_for_each() {
        let values = values(&["a.rb", "b.rb"]);
        assert_eq!(
            commands(&strings(&["ruby", "-c", "{file}"]), &values),
            [strings(&["ruby", "-c", "a.rb"]), strings(&["ruby", "-c", "b.rb"])]
        );
    }

    #[test]
    fn wrong_placeholders_are_named() {
        assert_eq!(
            check("{mainflie}", true).unwrap_err(),
            "'{mainflie}' is not a placeholder; did you mean '{mainfile}'?"
        );
        assert!(check("-x{files}", true).is_err());
        assert!(check("-Xmx{heap_mib}m", false).is_err());
        assert_eq!(check("-Xmx{heap_mib}m", true), Ok(()));
    }
}
