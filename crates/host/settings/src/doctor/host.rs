//! Space, settings of the host, and the languages' programs.

use super::{Area, Check, MissingTool};
use model::{Bytes, Reading};
use system::machine::Space;
use system::{Machine, Status};

/// Compilers and unpacked packages need this much in `/tmp`.
const TMP_BYTES: Bytes = Bytes::from_mib(1024);
/// The registry of leased CPUs needs this much in `/run`.
const RUN_BYTES: Bytes = Bytes::from_mib(1);
/// A machine that judges runs thousands of processes at once.
const PID_MAX_LEAST: u64 = 8192;

pub(super) fn checks(machine: &Machine) -> Vec<Check> {
    let mut checks = vec![overcommit(machine), pid_max(machine), container(machine)];
    checks.extend(machine.host.spaces.iter().map(space));
    checks
}

/// Lists each language that lacks a program; if none does, there is one line for all.
pub(super) fn languages(missing: &[MissingTool], language_count: usize) -> Vec<Check> {
    const NAME: &str = "compilers and interpreters";
    let why = "a submission in such a language is refused";
    if missing.is_empty() {
        return vec![Check::new(
            Area::Languages,
            NAME,
            Status::Pass,
            format!("all of {language_count} languages are there"),
            why,
        )];
    }
    let names: Vec<_> = missing.iter().map(|tool| format!("{} ({})", tool.language, tool.program)).collect();
    // Without any language nothing can be judged; some may be all that the user needs.
    let status = if missing.len() >= language_count { Status::Fail } else { Status::Caution };
    let what =
        format!("{} of {language_count} languages lack a program: {}", missing.len(), names.join(", "));
    vec![Check::new(Area::Languages, NAME, status, what, why).fix(joined_install(missing))]
}

fn joined_install(missing: &[MissingTool]) -> String {
    const APT: &str = "apt-get install ";
    let mut packages: Vec<&str> = missing
        .iter()
        .filter_map(|tool| tool.install.strip_prefix(APT))
        .flat_map(str::split_whitespace)
        .collect();
    packages.sort_unstable();
    packages.dedup();
    let mut commands: Vec<String> = missing
        .iter()
        .map(|tool| &tool.install)
        .filter(|install| !install.starts_with(APT))
        .cloned()
        .collect();
    if !packages.is_empty() {
        commands.insert(0, format!("{APT}{}", packages.join(" ")));
    }
    commands.join(" && ")
}

fn check(name: &'static str, status: Status, what: impl Into<String>, why: impl Into<String>) -> Check {
    Check::new(Area::Host, name, status, what, why)
}

fn overcommit(machine: &Machine) -> Check {
    let why = "with 2, runtimes such as Java and Go cannot reserve the address space that they never use";
    Check::of(Area::Host, "overcommit", why, &machine.memory.overcommit, |value| match value {
        2 => (Status::Caution, "2: never more than there is".to_owned()),
        value => (Status::Pass, value.to_string()),
    })
    .fix("sysctl -w vm.overcommit_memory=0")
}

fn pid_max(machine: &Machine) -> Check {
    let why = "process numbers are shared by all runs and by the host";
    Check::of(Area::Host, "process numbers", why, &machine.host.pid_max, |most| {
        let status = if *most < PID_MAX_LEAST { Status::Caution } else { Status::Pass };
        (status, format!("at most {most}"))
    })
    .fix("sysctl -w kernel.pid_max=4194304")
}

fn container(machine: &Machine) -> Check {
    const NAME: &str = "container";
    let why = "a container may hold back rights and CPUs that the checks above name one by one";
    match &machine.host.container {
        None => check(NAME, Status::Pass, "none seen", why),
        Some(mark) => check(NAME, Status::Pass, format!("we seem to be in one: {mark}"), why),
    }
}

fn space(space: &Space) -> Check {
    let (name, needed, why) = if space.path.ends_with("run") {
        ("space in /run", RUN_BYTES, "the registry of leased CPUs is kept there")
    } else {
        ("space in /tmp", TMP_BYTES, "compilers and unpacked packages write there")
    };
    match &space.available {
        Reading::Known(available) if *available >= needed => {
            check(name, Status::Pass, available.to_string(), why)
        }
        Reading::Known(available) => {
            check(name, Status::Caution, format!("{available}, less than {needed}"), why)
                .fix(format!("du -xh --max-depth=1 {} | sort -h | tail", space.path.display()))
        }
        Reading::Unavailable(reason) => check(name, Status::Fail, "cannot be used", reason),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::*;

    #[test]
    fn settings_of_the_host() {
        check(
            &[("proc/sys/vm/overcommit_memory", "2\n")],
            "overcommit",
            Status::Caution,
            Some("sysctl -w vm.overcommit_memory=0"),
        );
        check(
            &[("proc/sys/kernel/pid_max", "4096\n")],
            "process numbers",
            Status::Caution,
            Some("sysctl -w kernel.pid_max=4194304"),
        );
        check(&[(".dockerenv", "")], "container", Status::Pass, None);
    }

    #[test]
    fn little_space_is_a_caution() {
        let little = Space { path: "/tmp".into(), available: Reading::Known(Bytes::from_mib(3)) };
        let found = space(&little);
        assert_eq!((found.status, found.what.as_str()), (Status::Caution, "3.0 MiB, less than 1.00 GiB"));
        let none = Space { path: "/run".into(), available: Reading::unavailable("it is not there") };
        assert_eq!((space(&none).name, space(&none).status), ("space in /run", Status::Fail));
    }

    #[test]
    fn missing_languages_are_one_line_with_one_command() {
        let tool = |language: &str, program: &str, install: &str| MissingTool {
            language: language.to_owned(),
            program: program.to_owned(),
            install: install.to_owned(),
        };
        let missing = [
            tool("Go", "go", "see https://go.dev/dl"),
            tool("Rust", "rustc", "apt-get install rustc"),
            tool("Java", "javac", "apt-get install default-jdk-headless"),
        ];
        let [check] = &languages(&missing, 25)[..] else { panic!("one line") };
        assert_eq!(check.status, Status::Caution);
        assert_eq!(check.what, "3 of 25 languages lack a program: Go (go), Rust (rustc), Java (javac)");
        assert_eq!(
            check.fix.as_deref(),
            Some("apt-get install default-jdk-headless rustc && see https://go.dev/dl")
        );
        assert_eq!(languages(&missing, 3)[0].status, Status::Fail);
    }
}
