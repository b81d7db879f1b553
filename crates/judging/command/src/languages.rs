//! `tauto languages`: lists the languages and whether their programs are installed.

use documents::{LanguageCounts, LanguageEntry, LanguagesReport};
use judge::{Helper, Station};
use languages::{Counts, Language, Languages};
use model::{Bytes, Nanos};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};
use sandbox::{Input, Ran, RunIo, RunPlan, SandboxError, SeccompClass};
use settings::MissingTool;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use terminal::{Align, Cell, Colour, Progress, Style, Table, print};

/// A compiler that does not print its version in this time is broken; the JVM's need seconds, and ten times as many on a busy
/// machine.
const PROBE_SECS_MAX: u32 = 30;
/// More at once would only slow each other down.
const PROBE_THREADS_MAX: usize = 4;
/// The version is in the first lines; the rest is licences.
const PROBE_OUTPUT_BYTES_MAX: u64 = 64 << 10;

pub fn languages(folder: Option<&Path>) -> anyhow::Result<Languages> {
    match folder {
        Some(folder) => Ok(Languages::with_overrides(folder)?),
        None => Ok(Languages::builtin()),
    }
}

pub fn missing_tools(languages: &Languages) -> Vec<MissingTool> {
    languages
        .iter()
        .filter_map(|language| {
            let missing = language.missing(Path::exists)?;
            Some(MissingTool {
                language: language.name.clone(),
                program: missing.program.display().to_string(),
                install: missing.install_hint,
            })
        })
        .collect()
}

pub fn run(languages: &Languages, json: bool) -> anyhow::Result<ExitCode> {
    let progress = Progress::on_stderr(true);
    progress.say("asking compilers and interpreters for their versions");
    let report = LanguagesReport { languages: entries(languages) };
    drop(progress);
    let text = if json { documents::to_json(&report) } else { render(&report, Colour::for_stdout()) };
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Asks all compilers and interpreters for their versions.
pub fn entries(languages: &Languages) -> Vec<LanguageEntry> {
    entries_of(languages, &Path::exists, &probe_output)
}

/// As [`entries`], of those that the programs of a station see.
pub fn entries_at(station: &Station) -> Vec<LanguageEntry> {
    if station.image().is_none() {
        return entries(station.languages());
    }
    let helper = station.helper();
    entries_of(station.languages(), &|path| helper.has(path), &|argv| ask_in(helper, argv))
}

pub(crate) fn entries_of(
    languages: &Languages,
    exists: &(dyn Fn(&Path) -> bool + Sync),
    ask: &(dyn Fn(&[String]) -> Result<String, String> + Sync),
) -> Vec<LanguageEntry> {
    let languages: Vec<&Language> = languages.iter().collect();
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Vec::with_capacity(languages.len()));
    std::thread::scope(|scope| {
        for _ in 0..PROBE_THREADS_MAX.min(languages.len()) {
            scope.spawn(|| {
                while let Some(language) = languages.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let entry = entry(language, exists, ask);
                    found.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(entry);
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    found.sort_by(|a, b| a.id.cmp(&b.id));
    found
}

fn entry(
    language: &Language,
    exists: &dyn Fn(&Path) -> bool,
    ask: &dyn Fn(&[String]) -> Result<String, String>,
) -> LanguageEntry {
    let missing = language.missing(exists);
    let version = match &missing {
        Some(_) => Err("it is not installed".to_owned()),
        None => ask(language.probe_argv()).and_then(|output| {
            language.parse_version(&output).ok_or_else(|| {
                let first = output.lines().next().unwrap_or_default();
                format!("'{}' printed '{first}'", language.probe_argv().join(" "))
            })
        }),
    };
    let (version, version_unavailable) = match version {
        Ok(version) => (Some(version), None),
        Err(why) => (None, Some(why)),
    };
    LanguageEntry {
        id: language.id.clone(),
        name: language.name.clone(),
        extensions: language.extensions.clone(),
        installed: missing.is_none(),
        version,
        version_unavailable,
        missing_program: missing.as_ref().map(|missing| missing.program.display().to_string()),
        install: missing.map(|missing| missing.install_hint),
        compile: language.compile.to_vec(),
        run: language.run.to_vec(),
        counts: language.counts.as_ref().map(|counts| match counts {
            Counts::Exact => LanguageCounts::Exact,
            Counts::SpreadPercent(percent) => LanguageCounts::Spread { percent: *percent },
            Counts::None(why) => LanguageCounts::None { reason: why.trim().to_owned() },
        }),
    }
}

fn ask_in(helper: &Helper, argv: &[String]) -> Result<String, String> {
    ask_by(argv, |plan, io| helper.run(plan, io))
}

/// As [`probe_output`], in a sandbox with the toolchains of an image.
pub(crate) fn ask_by(
    argv: &[String],
    run: impl FnOnce(RunPlan, RunIo) -> Result<Ran, SandboxError>,
) -> Result<String, String> {
    let failed = |why: &dyn std::fmt::Display| format!("'{}': {why}", argv.join(" "));
    let mut plan = RunPlan::new(argv.to_vec());
    plan.seccomp = SeccompClass::Compiler;
    plan.limits.wall_time = Some(Nanos(u64::from(PROBE_SECS_MAX) * 1_000_000_000));
    plan.limits.output = Some(Bytes(PROBE_OUTPUT_BYTES_MAX));
    let ran = run(plan, RunIo::captured(Input::Empty)).map_err(|error| failed(&error))?;
    Ok([ran.stdout, ran.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat())
}

/// Runs a command that prints a version and returns its output on both streams.
fn probe_output(argv: &[String]) -> Result<String, String> {
    let shown = argv.join(" ");
    let failed = |what: &str, error: &dyn std::fmt::Display| format!("'{shown}' {what}: {error}");
    let [program, arguments @ ..] = argv else { return Err("no command prints its version".to_owned()) };
    let (mut reader, writer) = std::io::pipe().map_err(|error| failed("has no pipe", &error))?;
    let second = writer.try_clone().map_err(|error| failed("has no pipe", &error))?;
    let mut child = Command::new(program)
        .args(arguments)
        // The same output everywhere, whatever the user's language and start-up files are; and a home folder that
        // cannot be made, since some programs would make it.
        .env_clear()
        .envs([("PATH", "/usr/local/bin:/usr/bin:/bin"), ("LANG", "C.UTF-8"), ("HOME", "/dev/null")])
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(writer)
        .stderr(second)
        // Its own process group, so that background processes of a start-up script die with it.
        .process_group(0)
        .spawn()
        .map_err(|error| failed("cannot be started", &error))?;
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let ended = group.ok_or_else(|| failed("has an odd process number", &child.id())).and_then(|pid| {
        let in_time = wait_in_time(pid).map_err(|error| failed("cannot be waited for", &error))?;
        // Its PID cannot be reused before it is reaped below.
        let _ = kill_process_group(pid, Signal::KILL);
        Ok(in_time)
    });
    if ended.is_err() {
        let _ = child.kill();
    }
    child.wait().map_err(|error| failed("cannot be waited for", &error))?;
    if !ended? {
        return Err(format!("'{shown}' took longer than {PROBE_SECS_MAX} s"));
    }
    let mut output = Vec::new();
    let read = reader.by_ref().take(PROBE_OUTPUT_BYTES_MAX).read_to_end(&mut output);
    read.map_err(|error| failed("cannot be read", &error))?;
    Ok(String::from_utf8_lossy(&output).into_owned())
}

/// Waits until the process ends; returns `false` if it takes too long.
fn wait_in_time(pid: Pid) -> rustix::io::Result<bool> {
    let descriptor = pidfd_open(pid, PidfdFlags::empty())?;
    let limit = Timespec { tv_sec: PROBE_SECS_MAX.into(), tv_nsec: 0 };
    Ok(poll(&mut [PollFd::new(&descriptor, PollFlags::IN)], Some(&limit))? > 0)
}

fn render(report: &LanguagesReport, colour: Colour) -> String {
    let columns =
        ["id", "name", "extensions", "version", "counts", "compile", "run"].map(|name| (name, Align::Left));
    let mut table = Table::new(&columns);
    for language in &report.languages {
        let compile: Vec<_> = language.compile.iter().map(|argv| argv.join(" ")).collect();
        table.row([
            language.id.as_str().into(),
            language.name.as_str().into(),
            language.extensions.join(" ").into(),
            version_cell(language),
            counts_words(language.counts.as_ref()).into(),
            Cell::unbroken(&compile.join(" && ")),
            Cell::unbroken(&language.run.join(" ")),
        ]);
    }
    let installed = report.languages.iter().filter(|language| language.installed).count();
    format!("{}\n{installed} of {} are installed\n", table.render(colour), report.languages.len())
}

fn counts_words(counts: Option<&LanguageCounts>) -> String {
    match counts {
        Some(LanguageCounts::Exact) => "exact".to_owned(),
        Some(LanguageCounts::Spread { percent }) => format!("within {percent} %"),
        Some(LanguageCounts::None { reason }) => format!("none: {reason}"),
        None => "not measured".to_owned(),
    }
}

fn version_cell(language: &LanguageEntry) -> Cell {
    match (&language.version, &language.install) {
        (Some(version), _) => Cell::styled(Style::Good, version.as_str()),
        (None, Some(install)) => Cell::styled(Style::Bad, format!("missing: {install}")),
        (None, None) => {
            let why = language.version_unavailable.as_deref().unwrap_or("no version");
            Cell::styled(Style::Caution, format!("unknown: {why}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argv(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn both_streams_are_read() {
        let output = probe_output(&argv(&["/bin/sh", "-c", "echo one; echo two >&2"]));
        assert_eq!(output.as_deref(), Ok("one\ntwo\n"));
    }

    #[test]
    fn orphaned_children_do_not_delay_the_end() {
        let output = probe_output(&argv(&["/bin/sh", "-c", "sleep 60 & echo 1.0"]));
        assert_eq!(output.as_deref(), Ok("1.0\n"));
    }

    #[test]
    fn unstartable_submissions_are_reported() {
        let why = probe_output(&argv(&["/proc/no-such-folder/cc", "--version"])).unwrap_err();
        assert!(
            why.starts_with("'/proc/no-such-folder/cc --version' cannot be started: No such file"),
            "{why}"
        );
        assert_eq!(probe_output(&[]), Err("no command prints its version".to_owned()));
    }

    #[test]
    fn every_language_has_an_entry() {
        let languages = Languages::builtin();
        let entries = entries(&languages);
        let ids: Vec<_> = entries.iter().map(|entry| entry.id.clone()).collect();
        assert_eq!(ids, languages.iter().map(|language| language.id.clone()).collect::<Vec<_>>());
        for entry in &entries {
            assert_eq!(entry.version.is_some(), entry.version_unavailable.is_none(), "{entry:?}");
            assert_eq!(entry.installed, entry.install.is_none(), "{entry:?}");
        }
    }

    #[test]
    fn the_table_says_what_to_install() {
        let entry = |id: &str, version: Option<&str>, install: Option<&str>| LanguageEntry {
            id: id.to_owned(),
            name: id.to_uppercase(),
            extensions: argv(&[id]),
            installed: install.is_none(),
            version: version.map(str::to_owned),
            version_unavailable: version.is_none().then(|| "it printed nothing".to_owned()),
            missing_program: None,
            install: install.map(str::to_owned),
            compile: vec![argv(&["cc", "{files}"]), argv(&["strip", "{binary}"])],
            run: argv(&["{binary}"]),
            counts: None,
        };
        let report = LanguagesReport {
            languages: vec![
                LanguageEntry { counts: Some(LanguageCounts::Exact), ..entry("c", Some("12.2.0"), None) },
                entry("lua", None, Some("apt-get install lua5.4")),
                LanguageEntry {
                    counts: Some(LanguageCounts::Spread { percent: 2.5 }),
                    ..entry("sh", None, None)
                },
            ],
        };
        let text = render(&report, Colour::Off);
        let rows: Vec<_> = text.lines().skip(2).collect();
        assert_eq!(
            rows,
            [
                "c    C     c           12.2.0                           exact         cc {files} && strip {binary}  {binary}",
                "lua  LUA   lua         missing: apt-get install lua5.4  not measured  cc {files} && strip {binary}  {binary}",
                "sh   SH    sh          unknown: it printed nothing      within 2.5 %  cc {files} && strip {binary}  {binary}",
                "",
                "2 of 3 are installed",
            ]
        );
    }
}
