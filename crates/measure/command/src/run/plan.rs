//! Makes the plan of a run from the command line.

use super::shown;
use crate::arguments::{RunArguments, SandboxArguments};
use anyhow::Context;
use host_command::counter;
use judging_command::arguments::IsolationName;
use judging_command::image::OpenRoot;
use microvm::Machines;
use model::Limits;
use sandbox::{BOX, Mount, PROGRAM, RunPlan};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path};
use std::sync::Arc;
use terminal::failure::{because, input, input_with_hint};

/// Makes the plan, and warnings about it.
pub fn make(arguments: &SandboxArguments, command: &[String]) -> anyhow::Result<(RunPlan, Vec<String>)> {
    let mut warnings = Vec::new();
    let here = std::env::current_dir().context("cannot determine the current folder")?;
    let mut plan = RunPlan::new(command.to_vec());
    for (name, value) in &arguments.environment {
        plan.environment.retain(|(known, _)| known != name);
        plan.environment.push((name.clone(), value.clone()));
    }
    plan.working_directory.clone_from(&arguments.directory);
    if !arguments.directory.starts_with('/') {
        return Err(input(format!(
            "--directory {} is not absolute; name it as the program sees it, such as {PROGRAM} or {BOX}/work",
            arguments.directory
        )));
    }
    plan.mounts.push(Mount { source: here, target: PROGRAM.to_owned(), writable: false });
    for text in &arguments.mounts {
        plan.mounts.push(mount(text)?);
    }
    plan.seccomp = arguments.seccomp.into();
    plan.cpus.clone_from(&arguments.cpu_list);
    plan.limits = Limits {
        cpu_time: arguments.cpu_time,
        wall_time: arguments.wall_time,
        memory: arguments.memory,
        processes: Some(arguments.processes),
        output: arguments.output_limit,
        file_size: arguments.file_size,
        open_files: arguments.open_files,
        stack: arguments.stack,
        box_size: arguments.box_size,
        ..Limits::unlimited()
    };
    if let (Some(wanted), Some(most)) =
        (arguments.open_files, rustix::process::getrlimit(rustix::process::Resource::Nofile).maximum)
        && u64::from(wanted) > most
    {
        warnings.push(format!("--open-files {wanted} is over what this system grants, so it is {most}"));
    }
    warnings.extend(shown::warnings(&plan));
    Ok((plan, warnings))
}

/// Makes mounts of our own where runs are in virtual machines: what is copied into one, and its state, are on them. To be called before
/// any thread is started.
pub fn enter_mounts(arguments: &SandboxArguments) -> anyhow::Result<()> {
    match arguments.root.image.isolation {
        IsolationName::Container => Ok(()),
        IsolationName::Microvm => Ok(sandbox::enter_private_mounts()?),
    }
}

/// Returns what runs get machines of their own from, if they do, and the plan is one for them.
pub fn machines(plan: &RunPlan, root: Option<&OpenRoot>) -> anyhow::Result<Option<Arc<Machines>>> {
    let machines = root.and_then(|root| root.machines.clone());
    match plan.mounts.iter().find(|mount| mount.writable && machines.is_some()) {
        None => Ok(machines),
        Some(mount) => Err(input(format!(
            "--mount {}:rw: a virtual machine has a copy of what is mounted; leave out :rw",
            mount.source.display()
        ))),
    }
}

/// Adds what is counted to a plan.
pub fn count(plan: &mut RunPlan, arguments: &RunArguments) -> anyhow::Result<()> {
    plan.counter = counter(arguments.clock, arguments.counter)?;
    if plan.counter.is_none() && arguments.instructions.is_some() {
        return Err(input(
            "--instructions is a limit of the clock that counts them; add --clock instructions",
        ));
    }
    plan.limits.instructions = arguments.instructions;
    Ok(())
}

/// Parses `HOSTPATH[:TARGET][:rw]`.
fn mount(text: &str) -> anyhow::Result<Mount> {
    let (rest, writable) = match text.rsplit_once(':') {
        Some((rest, "rw")) => (rest, true),
        Some((rest, "ro")) => (rest, false),
        _ => (text, false),
    };
    let (source, target) = match rest.split_once(':') {
        Some((source, target)) => (source, Some(target)),
        None => (rest, None),
    };
    let source = Path::new(source);
    let source = source
        .canonicalize()
        .with_context(|| because(format!("cannot open {} of --mount", source.display())))?;
    let target = match target {
        Some(target) => target.to_owned(),
        None => {
            let name = source.file_name().and_then(|name| name.to_str());
            let name =
                name.ok_or_else(|| input(format!("--mount {text} needs a target, such as :{BOX}/data")))?;
            format!("{BOX}/{name}")
        }
    };
    let path = Path::new(&target);
    let plain = path.components().skip(1).all(|part| matches!(part, Component::Normal(_)));
    if !path.starts_with(BOX) || path == Path::new(BOX) || !plain {
        return Err(input_with_hint(
            format!("the target {target} of --mount does not lie below {BOX}"),
            format!("write for example --mount {}:{BOX}/data", source.display()),
        ));
    }
    Ok(Mount { source, target, writable })
}

/// Checks that the program's user has access to the working directory.
pub fn check_start(plan: &RunPlan, user: u32) -> anyhow::Result<()> {
    /// Permission for others to enter a folder.
    const OTHERS_ENTER: u32 = 0o001;
    let closed = plan.mounts.iter().find(|mount| {
        Path::new(&plan.working_directory).starts_with(&mount.target)
            && mount.source.metadata().is_ok_and(|data| data.uid() != user && data.mode() & OTHERS_ENTER == 0)
    });
    match closed {
        None => Ok(()),
        Some(mount) => {
            let source = mount.source.display();
            Err(input_with_hint(
                format!("{source} is not accessible to the program, which runs as a separate user"),
                format!("chmod o+rx {source}, or run it from another folder"),
            ))
        }
    }
}

/// Warns of mounts that should be writable but are not writable for the program's user.
pub fn unwritable_mounts(plan: &RunPlan, user: u32) -> Vec<String> {
    /// Write permission for others.
    const OTHERS_WRITE: u32 = 0o002;
    let writable = plan.mounts.iter().filter(|mount| mount.writable);
    writable
        .filter(|mount| {
            mount.source.metadata().is_ok_and(|data| data.uid() != user && data.mode() & OTHERS_WRITE == 0)
        })
        .map(|mount| {
            let source = mount.source.display();
            format!("{source} is not writable for the program, which runs as user {user}: chmod o+w {source}")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mounts_have_a_source_a_target_and_a_mode() {
        let make = |source: &str, target: &str, writable| Mount {
            source: source.into(),
            target: target.to_owned(),
            writable,
        };
        assert_eq!(mount("/usr").unwrap(), make("/usr", "/box/usr", false));
        assert_eq!(mount("/usr:/box/a/b").unwrap(), make("/usr", "/box/a/b", false));
        assert_eq!(mount("/usr:rw").unwrap(), make("/usr", "/box/usr", true));
        assert_eq!(mount("/usr:/box/x:rw").unwrap(), make("/usr", "/box/x", true));
    }

    #[test]
    fn targets_elsewhere_are_refused() {
        for text in ["/usr:/srv", "/usr:/box", "/usr:/box/../etc", "/usr:data", "/proc/no-such-file", "/"] {
            assert!(mount(text).is_err(), "{text}");
        }
    }
}
