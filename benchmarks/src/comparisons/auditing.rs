//! What an audit costs the program that is audited: one that computes, one that calls the kernel, one that
//! switches between two processes.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::host::Host;
use super::summary::{Spread, milliseconds};
use super::tools::read_json;
use xtask::process;

/// Each takes some hundred milliseconds on a machine of today.
const PROGRAMS: [(&str, &str, &str); 3] = [
    (
        "register loop",
        "compute",
        "int main(void) { unsigned long x = 1; for (long i = 0; i < 300000000; i++) { x = x * 2862933555777941757UL + i; \
         __asm__ volatile(\"\" : \"+r\"(x)); } return 0; }",
    ),
    (
        "system calls",
        "calls",
        "#include <unistd.h>\n#include <sys/syscall.h>\nint main(void) { for (int i = 0; i < 1000000; i++) \
         syscall(SYS_getppid); return 0; }",
    ),
    (
        "switches between two processes",
        "switches",
        "#include <unistd.h>\n#include <sys/wait.h>\nint main(void) { int a[2], b[2]; char c = 0; if (pipe(a) || pipe(b)) \
         return 1; if (fork() == 0) { for (int i = 0; i < 20000; i++) if (read(a[0], &c, 1) != 1 || write(b[1], &c, 1) \
         != 1) _exit(1); _exit(0); } for (int i = 0; i < 20000; i++) if (write(a[1], &c, 1) != 1 || read(b[0], &c, 1) \
         != 1) return 1; int status; wait(&status); return status != 0; }",
    ),
];

#[derive(Serialize)]
struct Report {
    benchmark: &'static str,
    host: Host,
    programs: Vec<Program>,
}

#[derive(Serialize)]
struct Program {
    name: &'static str,
    rounds: Vec<Round>,
}

/// One round: the program three times, and each step of an audit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Round {
    pub without_ns: u64,
    pub ready_ns: u64,
    pub recorded_ns: u64,
    pub open_ns: u64,
    pub begin_ns: u64,
    pub end_ns: u64,
    pub close_ns: u64,
    pub lost_events: u64,
}

pub fn run(arms: &Path, rounds: usize, json: bool) -> Result<()> {
    let host = Host::read();
    let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    let folder = tempfile::Builder::new().permissions(permissions).tempdir()?;
    let mut programs = Vec::new();
    for (name, file, source) in PROGRAMS {
        eprintln!("bench: {name}, {rounds} rounds");
        let code = folder.path().join(format!("{file}.c"));
        fs::write(&code, source).with_context(|| format!("cannot write {}", code.display()))?;
        let program = folder.path().join(file);
        process::run(Command::new("gcc").args(["-O2", "-o"]).arg(&program).arg(&code))?;
        let rounds: Vec<Round> = read_json(
            Command::new(arms)
                .args(["audit-cost", "--count", &rounds.to_string(), "--"])
                .arg(format!("/program/{file}"))
                .current_dir(folder.path()),
        )?;
        ensure!(!rounds.is_empty(), "audit-cost prints no rounds");
        programs.push(Program { name, rounds });
    }
    let report = Report { benchmark: "audit", host, programs };
    report.host.show(json, &report, || table(&report.programs))
}

fn table(programs: &[Program]) -> String {
    type Column = (&'static str, fn(&Round) -> u64);
    const COLUMNS: [Column; 7] = [
        ("without", |round| round.without_ns),
        ("ready", |round| round.ready_ns),
        ("recorded", |round| round.recorded_ns),
        ("open", |round| round.open_ns),
        ("begin", |round| round.begin_ns),
        ("end", |round| round.end_ns),
        ("close", |round| round.close_ns),
    ];
    let mut table = String::from(
        "| program | what | median ms | p10..p90 ms | median, times `without` |\n|---|---|--:|--:|--:|\n",
    );
    for program in programs {
        let mut without_ns = None;
        for (at, (what, value)) in COLUMNS.iter().enumerate() {
            let samples: Vec<u64> = program.rounds.iter().map(value).collect();
            let Some(spread) = Spread::of(&samples) else { continue };
            let without_ns = *without_ns.get_or_insert(spread.median_ns);
            // Only the first three are the program's own times.
            let ratio = if at < 3 { format!("{:.3}", spread.median_ns / without_ns) } else { "-".to_owned() };
            table.push_str(&format!(
                "| {} | {what} | {} | {}..{} | {ratio} |\n",
                program.name,
                milliseconds(spread.median_ns),
                milliseconds(spread.p10_ns),
                milliseconds(spread.p90_ns),
            ));
        }
        let lost: u64 = program.rounds.iter().map(|round| round.lost_events).sum();
        if lost > 0 {
            table.push_str(&format!("| {} | events lost in all rounds | {lost} | | |\n", program.name));
        }
    }
    table
}
