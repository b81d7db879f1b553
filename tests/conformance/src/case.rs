//! The case table.

use anyhow::{Context, Result, bail};
use model::clock::PER_NANOSECOND_USUAL;
use model::{Bytes, Limits, Nanos, Verdict};
use ruling::TimeRule;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub name: String,
    pub about: String,
    #[serde(default)]
    pub kind: Kind,
    #[serde(default)]
    pub language: String,
    #[serde(default)]
    pub source: Option<String>,
    #[serde(default)]
    pub sources: Vec<String>,
    #[serde(default)]
    pub stdin: String,
    #[serde(default)]
    pub stdin_bytes: Option<usize>,
    pub expect: Vec<String>,
    /// What is right instead by counted instructions; the reason stands next to it.
    #[serde(default)]
    pub counted: Vec<String>,
    #[serde(default)]
    pub stdout: Option<String>,
    #[serde(default)]
    pub limits: CaseLimits,
    #[serde(default)]
    pub after: Option<String>,
    #[serde(default = "yes")]
    pub allow_file_writing: bool,
    #[serde(default)]
    pub core: bool,
    #[serde(default)]
    pub exit_code: Option<u8>,
    #[serde(default)]
    pub signal: Option<u8>,
    #[serde(default)]
    pub over_output: OverOutput,
    #[serde(default)]
    pub package: Option<String>,
    #[serde(default)]
    pub submission: Option<String>,
    #[serde(default)]
    pub score: Option<f64>,
    /// A folder whose files keep their paths, instead of single sources.
    #[serde(skip)]
    pub tree: Option<PathBuf>,
    /// The name of its file.
    #[serde(skip)]
    pub group: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    #[default]
    Run,
    /// A source is compiled, and runs if that succeeds.
    Compile,
    /// A submission is judged against a package.
    Package,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OverOutput {
    #[default]
    Stop,
    /// It runs on, and has exceeded its limit if it ends normally.
    Late,
    /// It runs on, and the output up to the limit is compared.
    Cut,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct CaseLimits {
    cpu_time_ns: Option<u64>,
    wall_time_ns: Option<u64>,
    memory_bytes: Option<u64>,
    processes: Option<u32>,
    output_bytes: Option<u64>,
    file_size_bytes: Option<u64>,
    open_files: Option<u32>,
    box_bytes: Option<u64>,
    box_files: Option<u32>,
}

fn yes() -> bool {
    true
}

impl Case {
    pub fn expected(&self) -> Result<Vec<Verdict>> {
        self.expect
            .iter()
            .map(|id| id.parse().with_context(|| format!("case {}: expect", self.name)))
            .collect()
    }

    pub fn source_paths(&self) -> impl Iterator<Item = &String> {
        self.source.iter().chain(&self.sources)
    }

    /// Returns standard input; filler of a given length is always the same.
    pub fn input(&self) -> Vec<u8> {
        match self.stdin_bytes {
            Some(length) => (0..length).map(|index| b"0123456789abcdef"[index * 7 % 16]).collect(),
            None => self.stdin.clone().into_bytes(),
        }
    }

    pub fn limits(&self) -> Limits {
        let own = &self.limits;
        Limits {
            cpu_time: Some(own.cpu_time_ns.map_or(Nanos::from_millis(1000), Nanos)),
            wall_time: Some(own.wall_time_ns.map_or(Nanos::from_millis(3000), Nanos)),
            instructions: None,
            memory: Some(own.memory_bytes.map_or(Bytes::from_mib(256), Bytes)),
            processes: Some(own.processes.unwrap_or(64)),
            output: Some(own.output_bytes.map_or(Bytes::from_mib(8), Bytes)),
            file_size: Some(own.file_size_bytes.map_or(Bytes::from_mib(16), Bytes)),
            open_files: Some(own.open_files.unwrap_or(256)),
            stack: None,
            box_size: own.box_bytes.map_or(Bytes::from_mib(32), Bytes),
            box_files: own.box_files.unwrap_or(1024),
        }
    }
}

/// Makes limits by counted instructions of limits on CPU time, as the judge does.
pub fn counted(limits: &Limits) -> Limits {
    let time = limits.cpu_time.unwrap_or_default();
    let rule = TimeRule::new(time).by_instructions(PER_NANOSECOND_USUAL);
    Limits {
        instructions: rule.clock.instructions(time),
        cpu_time: Some(rule.kill_limit),
        wall_time: Some(rule.wall_limit()),
        ..limits.clone()
    }
}

/// Makes a case for every program in `tests/languages`: it reads two numbers and prints their sum.
pub fn language_cases(suite: &Path) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for language in subfolders(&suite.join("../languages"))? {
        let id = language.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for tree in subfolders(&language)? {
            let name = format!("{id}-{}", tree.file_name().unwrap_or_default().to_string_lossy());
            let yaml = format!(
                "name: {name}\nabout: the language is proven\nlanguage: {id}\nexpect: [AC]\nstdout: \"42\\n\"\n\
                 stdin: \"20 22\\n\"\nlimits: {{cpu_time_ns: 5000000000, wall_time_ns: 20000000000}}"
            );
            cases.push(Case { tree: Some(tree), ..serde_saphyr::from_str(&yaml)? });
        }
    }
    Ok(cases)
}

fn subfolders(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut folders: Vec<_> =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    Ok(folders)
}

pub fn suite_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

pub fn read_all(folder: &Path) -> Result<Vec<Case>> {
    let mut files: Vec<_> = std::fs::read_dir(folder.join("cases"))
        .context("the suite's cases")?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.sort();
    let mut cases: Vec<Case> = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file)?;
        let group = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let part: Vec<Case> =
            serde_saphyr::from_str(&text).with_context(|| format!("case file {}", file.display()))?;
        for case in part {
            if cases.iter().any(|other| other.name == case.name) {
                bail!("{}: the name {} is used twice", file.display(), case.name);
            }
            if let Some(after) = &case.after
                && cases.last().is_none_or(|last| last.name != *after)
            {
                bail!("{}: {} must follow {after} at once", file.display(), case.name);
            }
            case.expected()?;
            cases.push(Case { group: group.clone(), ..case });
        }
    }
    Ok(cases)
}
