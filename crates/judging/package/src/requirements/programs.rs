//! The package's programs: their form, their names, and files of cases that would replace theirs.

use crate::error::{Complaint, Warnings};
use crate::tree::{Tree, io_error};
use crate::{
    FileLocation, InputValidatorArgs, OutputValidator, Package, PackageError, PackageFile, Program, TestCase,
};
use languages::Languages;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;

const C_ENDINGS: [&str; 10] = ["c", "cc", "cpp", "cxx", "c++", "C", "h", "hh", "hpp", "hxx"];
const PYTHON_ENDINGS: [&str; 2] = ["py", "py3"];

pub(super) fn check(tree: &Tree, package: &Package) -> Result<(), PackageError> {
    let mut programs: Vec<&Program> = package.input_validators.iter().collect();
    if let OutputValidator::Custom(program, _) = &package.output_validator {
        programs.push(program);
    }
    programs.extend(&package.static_validator);
    for program in programs {
        check_form(tree, program)?;
    }
    let mut names = BTreeMap::new();
    for program in &package.input_validators {
        if let Some(first) = names.insert(program.stem(), &program.name) {
            tree.warnings.push(FileLocation::file(tree.relative(&program.path)).leniency(
                format!("has the same name as {first}, '{}'", program.stem()),
                "rename one of them: arguments are for a validator by its name",
            ));
        }
    }
    let others = package.invalid_inputs.iter().chain(&package.invalid_outputs).chain(&package.valid_outputs);
    for case in package.cases().into_iter().chain(others.map(|one| &one.case)) {
        check_case(case, &package.input_validators, &tree.warnings);
    }
    Ok(())
}

/// Checks that a program has one of the forms that every judge can run.
fn check_form(tree: &Tree, program: &Program) -> Result<(), PackageError> {
    let place = |file: &PackageFile| FileLocation::file(tree.relative(&file.path));
    if program.has_build_script || program.has_run_script {
        let script = if program.has_build_script { "build" } else { "run" };
        let file = program.files.iter().find(|file| file.name.as_os_str() == script);
        if let Some(file) = file {
            let mode = std::fs::metadata(&file.path).map_err(io_error("look at", &file.path))?;
            if mode.permissions().mode() & 0o111 == 0 {
                tree.warnings
                    .push(place(file).leniency("is not executable", "set its mode, as chmod +x does"));
            }
        }
        return Ok(());
    }
    let ending =
        |file: &PackageFile| file.name.extension().unwrap_or_default().to_string_lossy().into_owned();
    let languages = Languages::shared();
    let is_source = |ending: &str| {
        PYTHON_ENDINGS.contains(&ending)
            || C_ENDINGS.contains(&ending)
            || languages.iter().any(|language| language.extensions.iter().any(|own| own == ending))
    };
    let sources: Vec<&PackageFile> = program.files.iter().filter(|file| is_source(&ending(file))).collect();
    let all = |endings: &[&str]| sources.iter().all(|file| endings.contains(&ending(file).as_str()));
    let has = |name: &str| sources.iter().any(|file| file.name.as_os_str() == name);
    let problem = if sources.is_empty() {
        "has no source file"
    } else if all(&C_ENDINGS)
        || all(&PYTHON_ENDINGS) && (sources.len() == 1 || has("__init__.py") && has("__main__.py"))
    {
        return Ok(());
    } else if all(&PYTHON_ENDINGS) {
        "has several Python files, but not __init__.py and __main__.py"
    } else {
        "is not in C, C++ or Python 3"
    };
    tree.warnings.push(FileLocation::file(tree.relative(&program.path)).leniency(
        format!("{problem}, and has neither a build nor a run script"),
        "add one of them, so that every judge can run it",
    ));
    Ok(())
}

fn check_case(case: &TestCase, validators: &[Program], warnings: &Warnings) {
    let place = || FileLocation::file(format!("data/{}.files", case.name));
    for validator in validators {
        let clashing = |file: &&PackageFile| {
            let own =
                |own: &PackageFile| own.name.starts_with(&file.name) || file.name.starts_with(&own.name);
            validator.files.iter().any(own)
        };
        if let Some(file) = case.files.iter().find(clashing) {
            warnings.push(place().leniency(
                format!(
                    "holds {}, which is the name of a file of the input validator {}",
                    file.name.display(),
                    validator.name
                ),
                "rename one of them: both would be in the validator's working directory",
            ));
        }
    }
    let InputValidatorArgs::Named(named) = &case.input_validator_args else { return };
    let is_known = |name: &String| validators.iter().any(|one| one.name == *name || one.stem() == name);
    for name in named.keys().filter(|name| !is_known(name)) {
        warnings.push(
            FileLocation::file(format!("data/{}", case.name)).field("input_validator_args").leniency(
                format!("names the input validator '{name}', which does not exist"),
                "name a file or folder of input_validators/",
            ),
        );
    }
}
