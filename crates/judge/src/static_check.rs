//! Checking the source files of a submission by a program of the package.

use crate::build::{Built, links_to};
use crate::check::{Checked, FEEDBACK, FeedbackFolder, Said, as_validator, check_rules};
use crate::judgement::CaseJudgement;
use crate::submission::Judge;
use crate::{JudgeError, Station};
use package::language::SourceFile;
use package::outcome::CheckRules;
use package::{Kind, Package, Protocol, StaticValidation};
use rustix::fs::{Mode, OFlags};
use sandbox::{Input, Mount, RunIo, RunPlan, Workspace};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use walkdir::WalkDir;

/// Where a validator finds the submission; a static one starts there.
const SUBMISSION: &str = "/box/judge/submission";

/// The package's static validator, ready to run.
#[derive(Debug)]
pub(crate) struct StaticValidator {
    name: String,
    built: Built,
}

/// A submission as a static validator sees it, and an output validator of the newer formats.
pub(crate) struct StaticSubject {
    workspace: Workspace,
    language: String,
    entry_point: String,
}

impl StaticValidator {
    /// Builds it, if the package has one.
    pub fn of(station: &Station, package: &Package) -> Result<Option<Self>, JudgeError> {
        let Some(program) = &package.static_validator else { return Ok(None) };
        Ok(Some(Self { name: program.name.clone(), built: station.build_program(package, program)? }))
    }

    fn check(
        &self,
        station: &Station,
        package: &Package,
        check: &StaticValidation,
        subject: &StaticSubject,
    ) -> Result<Checked, JudgeError> {
        let feedback = FeedbackFolder::new(station, &package.limits)?;
        let mut arguments = vec![subject.language.clone(), subject.entry_point.clone(), FEEDBACK.to_owned()];
        arguments.extend(check.args.iter().cloned());
        let mut plan = self.built.plan(&arguments);
        as_validator(&mut plan, &package.limits);
        plan.working_directory = SUBMISSION.to_owned();
        // It is to see the submission there, and nothing of itself.
        plan.links.clear();
        plan.mounts.push(feedback.mount());
        plan.mounts.push(subject.mount());
        let ran = station.run_helper(plan, RunIo::captured(Input::Empty))?;
        let rules = check_rules(package, &check.name, 1);
        // Its own check has one pass, whatever the runs of the problem have.
        let rules = CheckRules { kind: Kind { multi_pass: None, ..rules.kind }, ..rules };
        let said = Said { protocol: Protocol::Kattis, end: ran.result.end, stderr: &ran.stderr };
        feedback.outcome(package, &self.name, &check.name, &rules, &said)
    }
}

impl StaticSubject {
    /// Lays out the files as they were handed in, and beside them what the compiler made.
    ///
    /// The sources are not taken from where they were compiled: code that runs while it is compiled
    /// could have put others in their place.
    pub fn new(files: &[SourceFile], built: &Built, language: &str) -> Result<Self, JudgeError> {
        let workspace = Workspace::new(crate::build::BUILD_SIZE_MAX, crate::build::BUILD_FILES_MAX)?;
        for file in files {
            workspace.write(&file.name, &file.bytes)?;
        }
        copy_new_files(built.folder(), &workspace)?;
        // The format leaves open what a language without entry points is told; a lone file is one.
        let only = if let [file] = files { file.name.clone() } else { String::new() };
        let entry_point = built.entry_point.clone().unwrap_or(only);
        Ok(Self { workspace, language: language.to_owned(), entry_point })
    }
}

impl StaticSubject {
    /// Lays out files that are no program.
    pub fn of_files(files: &[SourceFile]) -> Result<Self, JudgeError> {
        let workspace = Workspace::new(crate::build::BUILD_SIZE_MAX, crate::build::BUILD_FILES_MAX)?;
        for file in files {
            workspace.write(&file.name, &file.bytes)?;
        }
        Ok(Self { workspace, language: String::new(), entry_point: String::new() })
    }

    fn mount(&self) -> Mount {
        Mount { source: self.workspace.path().to_owned(), target: SUBMISSION.to_owned(), writable: false }
    }

    /// Shows the submission in a validator's working directory.
    pub fn show_to(&self, plan: &mut RunPlan) {
        plan.links = links_to(self.workspace.path(), SUBMISSION);
        plan.mounts.push(self.mount());
    }
}

/// Copies regular files whose names are free.
fn copy_new_files(from: &Path, to: &Workspace) -> Result<(), JudgeError> {
    // It follows no link, and nothing of the compiler's runs any more that could change one.
    for entry in WalkDir::new(from).sort_by_file_name().into_iter().flatten() {
        let name = entry.path().strip_prefix(from).ok().and_then(Path::to_str);
        let Some(name) = name.filter(|_| entry.file_type().is_file()) else { continue };
        let target = to.path().join(name);
        let parent_is_taken = target.parent().is_some_and(|parent| parent.exists() && !parent.is_dir());
        if target.exists() || parent_is_taken {
            continue;
        }
        let failed = |error| JudgeError::file("read", entry.path())(error);
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened =
            rustix::fs::open(entry.path(), flags, Mode::empty()).map_err(|error| failed(error.into()))?;
        let mut bytes = Vec::new();
        File::from(opened).read_to_end(&mut bytes).map_err(failed)?;
        to.write(name, &bytes)?;
    }
    Ok(())
}

impl Judge<'_> {
    /// Lets the static validator look at a submission. That we fail is in the judgement.
    pub(crate) fn check_statically(
        &self,
        validator: &StaticValidator,
        check: &StaticValidation,
        subject: &StaticSubject,
    ) -> Result<CaseJudgement, JudgeError> {
        match validator.check(self.station(), self.package(), check, subject) {
            Ok(checked) => Ok(CaseJudgement::of_check(&check.name, checked)),
            Err(error) if error.is_interruption() => Err(error),
            Err(error) => Ok(CaseJudgement::failed(&check.name, error.to_string())),
        }
    }
}
