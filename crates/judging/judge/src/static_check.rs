//! Checks the source files of a submission with a program of the package.

use crate::build::Built;
use crate::check::{Checked, FEEDBACK, FeedbackFolder, ValidatorReply, as_validator, check_rules};
use crate::subject::{SUBMISSION, StaticSubject};
use crate::{Helper, JudgeError};
use languages::Languages;
use package::outcome::CheckRules;
use package::{Kind, Package, Protocol, StaticValidation};
use sandbox::{Input, RunIo};

/// The package's static validator, ready to run.
#[derive(Debug)]
pub(crate) struct StaticValidator {
    name: String,
    built: Built,
}

impl StaticValidator {
    pub fn of(helper: &Helper, languages: &Languages, package: &Package) -> Result<Option<Self>, JudgeError> {
        let Some(program) = &package.static_validator else { return Ok(None) };
        Ok(Some(Self {
            name: program.name.clone(),
            built: helper.build_program(languages, package, program)?,
        }))
    }

    /// Runs it on a submission.
    pub fn check(
        &self,
        helper: &Helper,
        package: &Package,
        check: &StaticValidation,
        subject: &StaticSubject,
    ) -> Result<Checked, JudgeError> {
        let feedback = FeedbackFolder::new(helper, &package.limits)?;
        let mut arguments = vec![subject.language.clone(), subject.entry_point.clone(), FEEDBACK.to_owned()];
        arguments.extend(check.args.iter().cloned());
        let mut plan = self.built.plan(&arguments);
        as_validator(&mut plan, &package.limits);
        plan.working_directory = SUBMISSION.to_owned();
        // There it sees the submission instead of its own files.
        plan.links.clear();
        plan.mounts.push(feedback.mount());
        plan.mounts.push(subject.mount());
        let ran = helper.run(plan, RunIo::captured(Input::Empty))?;
        let rules = check_rules(package, &check.name, 1);
        // The static check has one pass, even in a multi-pass problem.
        let rules = CheckRules { kind: Kind { multi_pass: None, ..rules.kind }, ..rules };
        let reply = ValidatorReply { protocol: Protocol::Kattis, end: ran.result.end, stderr: &ran.stderr };
        feedback.outcome(package, &self.name, &check.name, &rules, &reply)
    }
}
