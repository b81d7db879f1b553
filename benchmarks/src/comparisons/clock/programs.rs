//! Programs of five languages, with as much work as is asked for.

use anyhow::{Context, Result};
use std::fs;
use std::path::Path;
use std::process::Command;
use xtask::process;

/// A program, compiled as a judge compiles.
pub struct Program {
    pub name: &'static str,
    /// How it is started in its folder.
    pub command: Vec<String>,
}

/// Name, source file, source, and the argument for 5 to 60 million instructions.
const PROGRAMS: [(&str, &str, &str, u64); 12] = [
    ("sieve", "sieve.c", include_str!("../../../../crates/measure/labs/programs/sieve.c"), 1_000_000),
    (
        "registers",
        "registers.c",
        include_str!("../../../../crates/measure/labs/programs/registers.c"),
        5_000_000,
    ),
    ("allocate", "allocate.c", include_str!("../../../../crates/measure/labs/programs/allocate.c"), 50_000),
    ("calls", "calls.c", include_str!("../../../../crates/measure/labs/programs/calls.c"), 20_000),
    ("words", "words.cpp", include_str!("programs/words.cpp"), 10_000),
    ("matrix", "matrix.cpp", include_str!("programs/matrix.cpp"), 120),
    ("table", "table.rs", include_str!("programs/table.rs"), 100_000),
    ("queue", "queue.rs", include_str!("programs/queue.rs"), 10_000),
    ("sort", "sort.pas", include_str!("programs/sort.pas"), 30_000),
    ("knapsack", "knapsack.pas", include_str!("programs/knapsack.pas"), 1_000),
    ("dictionary", "dictionary.py", include_str!("../../../../crates/measure/labs/programs/python.py"), 20),
    ("text", "text.py", include_str!("programs/text.py"), 4_000),
];

/// Makes all of them in a folder.
pub fn make(folder: &Path) -> Result<Vec<Program>> {
    PROGRAMS
        .iter()
        .map(|(name, file, source, argument)| make_one(folder, name, file, source, *argument))
        .collect()
}

fn make_one(folder: &Path, name: &'static str, file: &str, source: &str, argument: u64) -> Result<Program> {
    let path = folder.join(file);
    fs::write(&path, source).with_context(|| format!("cannot write {}", path.display()))?;
    let compiler: &[&str] = match path.extension().and_then(|extension| extension.to_str()) {
        Some("c") => &["gcc", "-O2", "-static", "-no-pie", "-o", name],
        Some("cpp") => &["g++", "-std=gnu++17", "-O2", "-static", "-no-pie", "-o", name],
        Some("rs") => &["rustc", "-O", "-o", name],
        Some("pas") => &["fpc", "-O2", "-v0", name],
        _ => &[],
    };
    if let [compiler, options @ ..] = compiler {
        // Free Pascal takes the name of the file without its end.
        let source = if *compiler == "fpc" { &[][..] } else { &[file][..] };
        process::read(Command::new(compiler).args(options).args(source).current_dir(folder))
            .with_context(|| format!("{file} does not compile; tools/install test has all compilers"))?;
    }
    let own = if compiler.is_empty() {
        vec!["/usr/bin/python3".to_owned(), file.to_owned()]
    } else {
        vec![format!("./{name}")]
    };
    Ok(Program { name, command: own.into_iter().chain([argument.to_string()]).collect() })
}

/// Makes a program of the ladder; returns how it is started in its folder.
pub fn of_ladder(folder: &Path, program: &labs::Program, argument: u64) -> Result<Vec<String>> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/measure/labs/programs");
    let name = program.name;
    let own = match program.kind {
        labs::Kind::C => {
            let source = sources.join(format!("{name}.c"));
            let mut gcc = Command::new("gcc");
            gcc.args(["-std=gnu17", "-O2", "-static", "-no-pie", "-o"]).arg(folder.join(name)).arg(source);
            process::read(&mut gcc)?;
            vec![format!("./{name}")]
        }
        labs::Kind::Java => {
            process::read(Command::new("javac").arg("-d").arg(folder).arg(sources.join("Jvm.java")))?;
            ["java", "-XX:+UseSerialGC", "-Xss8m", "-cp", ".", "Jvm"].map(str::to_owned).to_vec()
        }
        labs::Kind::Python => {
            fs::copy(sources.join("python.py"), folder.join("ladder.py"))?;
            vec!["/usr/bin/python3".to_owned(), "ladder.py".to_owned()]
        }
    };
    Ok(own.into_iter().chain([argument.to_string()]).collect())
}
