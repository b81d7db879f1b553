//! Builds programs from source files.

use crate::remains::{self, Remains, examine, reopen};
use crate::tools::Tools;
use crate::{Helper, JudgeError};
use languages::{BuildPlan, Entry, Language, LanguageError, Languages, SeccompClass, SourceFile};
use model::{Bytes, Limits, Nanos, PROGRAM_LINKS_BYTES_MAX, RunEnd, RunResult, Usage};
use package::{Package, Program};
use sandbox::{Input, Mount, PROGRAM, Ran, Role, RunIo, RunPlan, SandboxError, Workspace};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The folder of a program in its workspace; other links to its files are made next to it, without copies.
const PROGRAM_FOLDER: &str = "program";
/// Size of that workspace: everything a build may leave, in whole pages, plus the names and the sources.
const WORKSPACE_SIZE: Bytes = Bytes(remains::SIZE_MAX.0 + 2 * 4096 * remains::FILES_MAX as u64);
const WORKSPACE_FILES: u32 = 3 * remains::FILES_MAX as u32;
/// Limit on a compiler's output: the end of an endless error message is not read.
const COMPILER_OUTPUT_MAX: Bytes = Bytes::from_mib(1);
/// How much of it is kept.
const COMPILER_OUTPUT_KEPT_BYTES: usize = 64 << 10;
/// Compilers, their children and their threads; the Go and JVM compilers use at least one thread per CPU.
const COMPILER_PROCESSES: u32 = 256;
/// Threads and children of a program in addition to those that its language needs.
const PROGRAM_PROCESSES: u32 = 64;
/// Open files of a program; the usual soft limit of a login session.
const OPEN_FILES: u32 = 1024;

#[derive(Debug)]
pub struct Built {
    workspace: Arc<Workspace>,
    folder: PathBuf,
    /// The names at the top of the folder, in order.
    names: Vec<String>,
    run: Vec<String>,
    environment: Vec<(String, String)>,
    seccomp: SeccompClass,
    processes: u32,
    /// The main file or class, where the language has one.
    pub entry_point: Option<String>,
    pub language: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Compilation {
    pub usage: Usage,
    /// Their output, shortened.
    pub output: String,
    /// Why there is no program; `None` if there is one.
    pub failure: Option<String>,
}

impl Default for Compilation {
    /// Makes it before the first command; some languages have no command.
    fn default() -> Self {
        let usage = Usage::of_times(Nanos::ZERO, Nanos::ZERO, "no command was run to compile it");
        Self { usage, output: String::new(), failure: None }
    }
}

#[derive(Debug)]
pub enum BuildOutcome {
    Built(Built, Compilation),
    Failed(Compilation),
}

#[derive(Clone, Copy, Debug)]
pub struct BuildLimits {
    pub time: Nanos,
    pub memory: Bytes,
    /// Memory limit of the program later on, for languages that need to know it.
    pub program_memory: Bytes,
}

impl Built {
    /// Makes the plan of a run of this program, with the limits that apply to all programs.
    pub fn plan(&self, arguments: &[String]) -> RunPlan {
        let mut argv = self.run.clone();
        argv.extend_from_slice(arguments);
        let mut plan = RunPlan::new(argv);
        for (name, value) in &self.environment {
            plan.environment.retain(|(known, _)| known != name);
            plan.environment.push((name.clone(), value.clone()));
        }
        plan.mounts.push(Mount { source: self.folder.clone(), target: PROGRAM.to_owned(), writable: false });
        // By the formats a program finds its own files in its working directory.
        plan.links = links_to(&self.names, PROGRAM);
        plan.seccomp = match self.seccomp {
            SeccompClass::Native => sandbox::SeccompClass::Native,
            SeccompClass::Runtime => sandbox::SeccompClass::Runtime,
            SeccompClass::Compiler => sandbox::SeccompClass::Compiler,
        };
        plan.limits = Limits {
            processes: Some(PROGRAM_PROCESSES + self.processes),
            open_files: Some(OPEN_FILES),
            ..Limits::unlimited()
        };
        plan
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the workspace around that folder, in which the same files can be linked.
    pub(crate) fn workspace(&self) -> Arc<Workspace> {
        Arc::clone(&self.workspace)
    }
}

/// Python finds compiled modules next to the program's own files; a working directory has nothing but these.
const PYTHON_CACHE: &str = "__pycache__";

/// Makes links from the working directory to everything at `target`, as far as one request has room for them.
pub(crate) fn links_to(names: &[String], target: &str) -> Vec<(String, String)> {
    let links = names
        .iter()
        .filter(|name| *name != PYTHON_CACHE)
        .map(|name| (name.clone(), format!("{target}/{name}")));
    // Each text is preceded by its length.
    let bytes = |(name, target): &(String, String)| name.len() + target.len() + 6;
    let mut room = PROGRAM_LINKS_BYTES_MAX;
    links.take_while(|link| room.checked_sub(bytes(link)).map(|left| room = left).is_some()).collect()
}

struct Site {
    workspace: Workspace,
    folder: PathBuf,
}

impl Site {
    fn new() -> Result<Self, JudgeError> {
        let workspace = Workspace::new(WORKSPACE_SIZE, WORKSPACE_FILES)?;
        let folder = workspace.folder(PROGRAM_FOLDER)?;
        Ok(Self { workspace, folder })
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, JudgeError> {
        Ok(self.workspace.write(&format!("{PROGRAM_FOLDER}/{name}"), bytes)?)
    }

    fn give_to(&self, user: u32) -> Result<(), JudgeError> {
        Ok(self.workspace.give_folder_to(PROGRAM_FOLDER, user)?)
    }
}

impl Helper {
    /// Builds a submission. If it does not compile, that is an outcome.
    pub fn build(
        &self,
        language: &Language,
        files: &[SourceFile],
        entry: Entry,
        limits: &BuildLimits,
    ) -> Result<BuildOutcome, JudgeError> {
        self.check_installed(language)?;
        let plan = match language.prepare(files, entry, limits.program_memory) {
            Ok(plan) => plan,
            Err(error) => return Ok(BuildOutcome::Failed(refused(&error))),
        };
        let site = Site::new()?;
        for file in files {
            site.write(&file.name, &file.bytes)?;
        }
        site.give_to(self.user(Role::Contestant))?;
        let compilation = self.compile(&site, language, &plan, limits)?;
        if compilation.failure.is_some() {
            return Ok(BuildOutcome::Failed(compilation));
        }
        let names = match examine(&site.folder)? {
            Remains::Usable(names) => names,
            Remains::Refused(why) => {
                return Ok(BuildOutcome::Failed(Compilation { failure: Some(why), ..compilation }));
            }
        };
        if let Some(program) = plan.run.first().and_then(|program| program.strip_prefix(PROGRAM))
            && !is_regular(&site.folder.join(program.trim_start_matches('/')))
        {
            let failure = Some(format!("the compiler left no program {PROGRAM}{program}"));
            return Ok(BuildOutcome::Failed(Compilation { failure, ..compilation }));
        }
        let built = Built {
            workspace: Arc::new(site.workspace),
            folder: site.folder,
            names,
            run: plan.run,
            environment: plan.environment,
            seccomp: plan.seccomp,
            processes: plan.processes,
            entry_point: plan.entry_point,
            language: Some(language.id.clone()),
        };
        Ok(BuildOutcome::Built(built, compilation))
    }

    /// Returns which program of a language is missing.
    fn check_installed(&self, language: &Language) -> Result<(), JudgeError> {
        match language.missing(|path| self.has(path)) {
            None => Ok(()),
            Some(missing) => Err(JudgeError::MissingCompiler {
                language: language.name.clone(),
                missing: missing.program,
                install: if self.sees_the_host() {
                    missing.install_hint
                } else {
                    format!("in an image: {}", missing.install_hint)
                },
            }),
        }
    }

    fn compile(
        &self,
        site: &Site,
        language: &Language,
        plan: &BuildPlan,
        limits: &BuildLimits,
    ) -> Result<Compilation, JudgeError> {
        // A machine of its own has caches of its own, in which no earlier run has left anything.
        let tools = if self.has_machines() { None } else { Tools::of(language, self.root(), self.disk())? };
        let mut all = Compilation::default();
        for argv in &plan.compile {
            reopen(&site.folder, self.user(Role::Contestant))?;
            let mut step = compiler_plan(&site.folder, argv.clone(), limits);
            for (name, value) in &plan.environment {
                step.environment.retain(|(known, _)| known != name);
                step.environment.push((name.clone(), value.clone()));
            }
            step.limits.cpu_time =
                Some(plan.compile_limits.cpu_time.map_or(limits.time, |time| time.max(limits.time)));
            step.limits.wall_time = Some(wall_for(step.limits.cpu_time));
            step.limits.memory =
                Some(plan.compile_limits.memory.map_or(limits.memory, |memory| memory.max(limits.memory)));
            step.limits.processes = plan.compile_limits.processes.or(step.limits.processes);
            let io = RunIo::captured(Input::Empty);
            let ran = match &tools {
                Some(tools) => self.run_seeing(&tools.root(), step, io),
                None => self.run(step, io),
            };
            let ran = match ran {
                Err(error @ SandboxError::LeftBehind(_)) => {
                    all.failure = Some(error.to_string());
                    break;
                }
                other => other?,
            };
            let failure = failure_of(argv, &ran.result);
            add(&mut all, ran);
            if failure.is_some() {
                all.failure = failure;
                break;
            }
        }
        Ok(all)
    }

    /// Builds a program of the package: a validator, checker or interactor.
    ///
    /// # Errors
    /// When it does not compile: that is a fault of the package, not of a submission.
    pub fn build_program(
        &self,
        languages: &Languages,
        package: &Package,
        program: &Program,
    ) -> Result<Built, JudgeError> {
        let limits = BuildLimits {
            time: package.limits.compilation_time,
            memory: package.limits.compilation_memory,
            program_memory: package.limits.validation_memory,
        };
        let mut files = Vec::with_capacity(program.files.len());
        for file in &program.files {
            let name = file.name.to_string_lossy().into_owned();
            files.push(SourceFile { name, bytes: package.source_bytes(file)? });
        }
        let name = program.name.clone();
        if program.has_build_script || program.has_run_script {
            return self.build_by_script(program, &files, &limits);
        }
        let cannot = |source: LanguageError| JudgeError::Program { program: name.clone(), source };
        let language = languages.detect(&files).map_err(cannot)?;
        match self.build(language, &files, Entry::default(), &limits)? {
            BuildOutcome::Built(built, _) => Ok(built),
            BuildOutcome::Failed(compilation) => Err(does_not_compile(program, &compilation)),
        }
    }

    fn build_by_script(
        &self,
        program: &Program,
        files: &[SourceFile],
        limits: &BuildLimits,
    ) -> Result<Built, JudgeError> {
        let site = Site::new()?;
        for (file, packaged) in files.iter().zip(&program.files) {
            let path = site.write(&file.name, &file.bytes)?;
            let data =
                std::fs::metadata(&packaged.path).map_err(JudgeError::file("look at", &packaged.path))?;
            // Scripts must stay executable, and for all users.
            if data.permissions().mode() & 0o111 != 0 {
                std::fs::set_permissions(&path, Permissions::from_mode(0o755))
                    .map_err(JudgeError::file("set the mode of", &path))?;
            }
        }
        site.give_to(self.user(Role::Contestant))?;
        if program.has_build_script {
            let argv = vec![format!("{PROGRAM}/build")];
            let plan = compiler_plan(&site.folder, argv.clone(), limits);
            let ran = self.run(plan, RunIo::captured(Input::Empty)).map_err(|error| match error {
                SandboxError::Exec { source, .. } => JudgeError::DoesNotCompile {
                    program: program.name.clone(),
                    output: format!(
                        "its build script cannot be executed: {source}; make it executable (chmod +x), and name an installed \
                         interpreter in its first line"
                    ),
                },
                error => error.into(),
            })?;
            let mut compilation =
                Compilation { failure: failure_of(&argv, &ran.result), ..Compilation::default() };
            add(&mut compilation, ran);
            if compilation.failure.is_some() {
                return Err(does_not_compile(program, &compilation));
            }
        }
        let broken = |output| JudgeError::DoesNotCompile { program: program.name.clone(), output };
        let names = match examine(&site.folder)? {
            Remains::Usable(names) => names,
            Remains::Refused(why) => return Err(broken(why)),
        };
        if !is_regular(&site.folder.join("run")) {
            return Err(broken("its build script left no file 'run'".to_owned()));
        }
        let mode =
            std::fs::metadata(site.folder.join("run")).map_err(JudgeError::file("look at", &site.folder))?;
        if mode.permissions().mode() & 0o111 == 0 {
            return Err(broken("its file 'run' is not executable; make it so (chmod +x)".to_owned()));
        }
        Ok(Built {
            workspace: Arc::new(site.workspace),
            folder: site.folder,
            names,
            run: vec![format!("{PROGRAM}/run")],
            environment: Vec::new(),
            // It is not known beforehand what a script starts.
            seccomp: SeccompClass::Runtime,
            processes: PROGRAM_PROCESSES,
            entry_point: None,
            language: None,
        })
    }
}

/// Returns whether a path is a regular file and not a link: the target of a link outside of the sandbox means nothing.
fn is_regular(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|data| data.is_file())
}

fn compiler_plan(folder: &Path, argv: Vec<String>, limits: &BuildLimits) -> RunPlan {
    let mut plan = RunPlan::new(argv);
    plan.working_directory = PROGRAM.to_owned();
    plan.seccomp = sandbox::SeccompClass::Compiler;
    plan.mounts.push(Mount { source: folder.to_owned(), target: PROGRAM.to_owned(), writable: true });
    plan.limits = Limits {
        cpu_time: Some(limits.time),
        wall_time: Some(wall_for(Some(limits.time))),
        memory: Some(limits.memory),
        processes: Some(COMPILER_PROCESSES),
        output: Some(COMPILER_OUTPUT_MAX),
        file_size: Some(remains::SIZE_MAX),
        // Less than their memory: compilers do not recurse that deeply, and some reserve the whole stack.
        stack: Some(Bytes::from_mib(64)),
        box_size: remains::SIZE_MAX,
        ..Limits::unlimited()
    };
    plan
}

/// Compilers do not wait, so they need little more wall time than CPU time; twice as much for a busy machine.
fn wall_for(cpu_time: Option<Nanos>) -> Nanos {
    cpu_time.unwrap_or(Nanos::from_millis(60_000)).saturating_mul(2)
}

fn failure_of(argv: &[String], result: &RunResult) -> Option<String> {
    let program = argv.first().map_or("", String::as_str);
    match result.end {
        RunEnd::Exited(0) => None,
        RunEnd::Limit(kind) => Some(format!("{program} {}", kind.passed())),
        end => Some(format!("{program} ended with {end}")),
    }
}

fn add(all: &mut Compilation, ran: Ran) {
    let usage = ran.result.usage;
    all.usage.cpu_time = all.usage.cpu_time + usage.cpu_time;
    all.usage.wall_time = all.usage.wall_time + usage.wall_time;
    let larger = match (all.usage.memory_peak.known(), usage.memory_peak.known()) {
        (Some(before), Some(now)) => now > before,
        (None, _) => true,
        (Some(_), None) => false,
    };
    if larger {
        all.usage.memory_peak = usage.memory_peak;
    }
    for text in [ran.stdout, ran.stderr] {
        let room = COMPILER_OUTPUT_KEPT_BYTES.saturating_sub(all.output.len());
        let kept = package::cut(&text, room);
        all.output.push_str(&String::from_utf8_lossy(kept));
        if kept.len() < text.len() {
            all.output.push_str("\n[the rest is left out]\n");
        }
    }
}

fn refused(error: &LanguageError) -> Compilation {
    Compilation { failure: Some(error.to_string()), ..Compilation::default() }
}

fn does_not_compile(program: &Program, compilation: &Compilation) -> JudgeError {
    let mut output = compilation.failure.clone().unwrap_or_default();
    if !compilation.output.is_empty() {
        output.push('\n');
        output.push_str(compilation.output.trim_end());
    }
    JudgeError::DoesNotCompile { program: program.name.clone(), output }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_links_are_made_as_a_request_has_room_for() {
        let names: Vec<String> = (0..1000).map(|number| format!("{}{number:04}", "x".repeat(96))).collect();
        let made = links_to(&names, PROGRAM);
        assert_eq!(made.len(), PROGRAM_LINKS_BYTES_MAX / (100 + 109 + 6));
        assert_eq!(made[1], (names[1].clone(), format!("/program/{}", names[1])));
        assert_eq!(links_to(&names[..3], PROGRAM).len(), 3);
    }
}
