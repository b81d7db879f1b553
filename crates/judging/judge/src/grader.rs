//! Grades groups with a program of the package.

use crate::build::Built;
use crate::check::{as_validator, shorten};
use crate::{Helper, JudgeError};
use languages::Languages;
use model::RunEnd;
use package::Package;
use package::scoring::{Grade, GraderCall};
use sandbox::{RunIo, input_in_memory};

/// The package's grader, ready to run.
#[derive(Debug)]
pub(crate) struct Grader {
    name: String,
    built: Built,
}

impl Grader {
    pub fn of(helper: &Helper, languages: &Languages, package: &Package) -> Result<Option<Self>, JudgeError> {
        let Some(program) = &package.grader else { return Ok(None) };
        let built = helper.build_program(languages, package, program)?;
        Ok(Some(Self { name: format!("graders/{}", program.name), built }))
    }

    /// Runs it like a validator. If it fails, there is no grade; an interruption is an error.
    pub fn ask(
        &self,
        helper: &Helper,
        package: &Package,
        call: &GraderCall,
    ) -> Result<Result<Grade, String>, JudgeError> {
        let mut plan = self.built.plan(&call.flags);
        as_validator(&mut plan, &package.limits);
        let input = input_in_memory(call.results.as_bytes())?;
        let ran = match helper.run(plan, RunIo::captured(input.open()?)).map_err(JudgeError::from) {
            Ok(ran) => ran,
            Err(error) if error.is_interruption() => return Err(error),
            Err(error) => return Ok(Err(format!("{} failed: {error}", self.name))),
        };
        let (problem, stated) = match ran.result.end {
            RunEnd::Exited(0) => match Grade::read(&ran.stdout) {
                Ok(grade) => return Ok(Ok(grade)),
                Err(problem) => (problem, &ran.stderr),
            },
            end => {
                let how = match end {
                    RunEnd::Limit(kind) => kind.passed(),
                    _ => format!("ended with {end}, expected exit code 0"),
                };
                (how, if ran.stderr.is_empty() { &ran.stdout } else { &ran.stderr })
            }
        };
        Ok(Err(shorten(format!("{} {problem}", self.name), stated)))
    }
}
