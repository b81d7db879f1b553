//! `tauto judgehost`: judges submissions of a contest server.

mod described;
mod metrics;
mod printer;
mod signals;
mod station;

use crate::arguments::JudgehostArguments;
use crate::client::with_scheme;
use documents::judgehost::{JUDGEHOST_PROTOCOL, LanguageTest, Register, image_line, isolation_line};
use documents::objects::RunIsolation;
use host_command::baseline::usual_here;
use host_command::here::stay_on;
use host_command::wire::machine_identity;
use judge::Engine;
use judgehost::{
    Cache, Client, Counting, EventSink, HostOptions, JudgehostError, OperatorEvent, Sandboxed, Token,
    self_test,
};
use judging_command::languages::{entries_at, languages};
use model::{Reading, Topology};
use printer::EventPrinter;
use signals::Signals;
use statement::Programs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use terminal::failure::{Failure, input};
use terminal::interrupt::Interrupt;

/// How often the reference program runs on an idle machine.
const REFERENCE_EVERY: Duration = Duration::from_secs(30);
/// Longest name of a judgehost, as of all ids.
const ID_BYTES_MAX: usize = 36;
/// More judgehosts with one name than servers on any machine.
const CACHES_MAX: u32 = 64;

/// Judges until it is asked to end.
pub fn run(arguments: &JudgehostArguments, json: bool) -> anyhow::Result<ExitCode> {
    let interrupt = Interrupt::listen()?;
    let id = id(arguments)?;
    let (token, warning) = Token::read(&arguments.token).map_err(|error| as_input(&error))?;
    let server = with_scheme(&arguments.server);
    let tls = crate::client::tls(&server, arguments.ca_file.as_deref())?;
    let client = Client::new(&server, id.clone(), token, tls).map_err(|error| as_input(&error))?;
    let languages = languages(arguments.languages.as_deref())?;
    let for_metrics = arguments.metrics.as_deref().map(crate::serve::bind).transpose()?;
    let cache = match &arguments.cache {
        Some(folder) => Cache::open(folder, arguments.cache_size.0)?,
        None => free_cache(&cache_folder(&id), arguments.cache_size.0)?,
    };

    // Until the station is open, the process must have only one thread.
    sandbox::enter_private_mounts()?;
    let signals = Signals::new(&interrupt)?;
    let counted = arguments.clock.counted()?;
    arguments.image.fetch(&interrupt)?;
    let root = arguments.image.open(&interrupt)?;
    let toolchains = root.as_ref().map(judging_command::toolchains);
    let station = station::open(arguments, languages, toolchains, signals.at_once())?;
    station.compare_with(usual_here);
    // Before this process leaves the timed CPUs, and while nothing is judged on them.
    let noise = described::noise(&station.timed_cpus());
    stay_on(&station.helper_cpus())?;
    let described = described::machine(&station, noise);
    let speaker = Arc::new(EventPrinter::new(json));
    let counts = Arc::new(metrics::Metrics::default());
    let on_event: Arc<EventSink> = {
        let (speaker, counts) = (Arc::clone(&speaker), Arc::clone(&counts));
        Arc::new(move |what| {
            counts.count(&what);
            speaker.say(what);
        })
    };
    if let Some(listener) = for_metrics {
        metrics::serve(listener, counts)?;
    }
    let warn = |message: String| on_event(OperatorEvent::Warning { message });
    warning.into_iter().chain(station.warnings().to_vec()).for_each(warn);
    let ending = signals.watch()?;
    let is_shared = station.is_shared();
    speaker.doing("asking compilers and interpreters for their versions");
    let versions = entries_at(&station);
    let image = station.image().map(image_line);
    let isolation = station.machines().map(|machines| {
        let how = format!("{}, kernel {}", machines.accelerator(), machines.kernel().version);
        isolation_line(RunIsolation::Microvm, &how)
    });
    let engine = Arc::new(Engine::start(station)?);
    speaker.doing("testing programs with known verdicts");
    let tested = self_test::run(&engine, &versions, counted.as_ref());
    let (test, canaries) = match tested {
        Err(JudgehostError::Judge(error)) if error.is_interruption() => return Ok(ExitCode::SUCCESS),
        other => other?,
    };
    if let Some(why) = self_test::objection(&test) {
        return Err(JudgehostError::SelfTest(why).into());
    }
    on_event(OperatorEvent::SelfTested {
        languages: test.languages.iter().map(|one| one.id.clone()).collect(),
    });
    let version = |one: &LanguageTest| format!("{}: {}", one.id, one.version.as_deref().unwrap_or("unknown"));
    let compilers = test.languages.iter().map(version).collect();
    speaker.doing("counting a program with a known count");
    let counted = counted.map(|by| Counting::begin(&engine, by)).transpose()?;
    let machine = system::Machine::here().identity();
    let mut identity = counted.as_ref().map_or_else(|| identity(&machine, is_shared), Counting::identity);
    identity.extend(image);
    identity.extend(isolation);
    let judges = Sandboxed::start(engine, canaries, machine_identity(&machine), Programs::here(), counted)?;
    let register = Register {
        protocol: JUDGEHOST_PROTOCOL,
        tauto_version: env!("CARGO_PKG_VERSION").to_owned(),
        instance: instance(),
        pool: arguments.pool.clone(),
        identity,
        compilers,
        places: judgehost::Judges::places(&judges),
        jobs_max: u32::try_from(judgehost::Judges::open_max(&judges)).unwrap_or(u32::MAX),
        is_shared,
        awaits_admission: arguments.await_admission,
        machine: Some(Box::new(documents::judgehost::MachineReport { self_test: test.clone(), ..described })),
        self_test: test,
    };
    let options = HostOptions {
        client,
        cache,
        register,
        drain_max: Duration::from_nanos(arguments.drain.0),
        reference_every: REFERENCE_EVERY,
        on_event,
    };
    speaker.doing("registering with the server");
    let ended = judgehost::run(Arc::new(judges), options, ending);
    speaker.end();
    match ended {
        Ok(()) => Ok(ExitCode::SUCCESS),
        // Lines were printed already; the error belongs to standard error alone.
        Err(error) if json => Ok(Failure::of(&error.into()).print(false)),
        Err(error) => Err(error.into()),
    }
}

/// Makes the error for what the user gave.
fn as_input(error: &JudgehostError) -> anyhow::Error {
    let mut text = error.to_string();
    if let Some(cause) = std::error::Error::source(error) {
        text = format!("{text}: {cause}");
    }
    input(text)
}

fn id(arguments: &JudgehostArguments) -> anyhow::Result<String> {
    let node = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let id = arguments.id.clone().unwrap_or_else(|| {
        let allowed = |letter: char| if is_allowed(letter) { letter } else { '-' };
        node.chars().map(allowed).take(ID_BYTES_MAX).collect()
    });
    let is_id = (1..=ID_BYTES_MAX).contains(&id.len())
        && id.chars().all(is_allowed)
        && !id.starts_with(['-', '.'])
        && !id.ends_with('.');
    match is_id {
        true => Ok(id),
        false => Err(input(format!(
            "'{id}' cannot be the name of a judgehost: use up to {ID_BYTES_MAX} of a-z, A-Z, 0-9, '_', '.' and '-' (--id)"
        ))),
    }
}

fn is_allowed(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.' | '-')
}

fn cache_folder(id: &str) -> PathBuf {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let user = absolute("XDG_CACHE_HOME").map(|cache| cache.join("tautochrone"));
    user.unwrap_or_else(|| PathBuf::from("/var/cache/tautochrone")).join("judgehosts").join(id)
}

/// Opens the first folder that no other judgehost has: those of several servers on a machine have the same names.
fn free_cache(folder: &Path, bytes_max: u64) -> Result<Arc<Cache>, JudgehostError> {
    let mut number = 1;
    loop {
        match Cache::open(&numbered(folder, number), bytes_max) {
            Err(JudgehostError::CacheTaken { .. }) if number < CACHES_MAX => number += 1,
            other => return other,
        }
    }
}

/// Returns the folder itself, or one next to it, whose name no judgehost can have.
fn numbered(folder: &Path, number: u32) -> PathBuf {
    let mut name = folder.as_os_str().to_owned();
    if number > 1 {
        name.push(format!("+{number}"));
    }
    PathBuf::from(name)
}

/// Returns the lines that decide about the pool.
fn identity(machine: &system::MachineIdentity, is_shared: bool) -> Vec<String> {
    let snapshot = settings::Snapshot::here();
    let settings = settings::examine(&snapshot, &Reading::unavailable("not asked for"));
    let host = timing::host_cpus().ok();
    let topology = host.map_or_else(Topology::default, |host| host.topology().clone());
    judgehost::identity_lines(machine, &topology, &settings, is_shared)
}

/// Returns a text that differs for each start.
fn instance() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    format!("{:x}-{:x}", since.as_nanos(), std::process::id())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn judgehosts_with_one_name_have_a_cache_each() {
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().join("local-1");
        let caches: Vec<_> = (0..3).map(|_| free_cache(&name, 1 << 20).unwrap()).collect();
        let mut names: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["local-1", "local-1+2", "local-1+3"]);
        drop(caches);
        drop(free_cache(&name, 1 << 20).unwrap());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3, "what is free again is used again");
    }
}
