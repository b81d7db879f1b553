//! A contest package with 8 GB of test data in one problem, imported and exported by the command line: how long it takes, and
//! how much memory the server takes for it.

use crate::child::{KilledOnDrop, memory_mib};
use crate::contest_http::DISK;
use crate::figure::{Figure, figure};
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// The size that the CCS requirements name, in files of half the largest size.
const FILES: u64 = 16;
const FILE_BYTES: u64 = 500_000_000;
/// Eight gigabytes in memory would be ninety times as much.
const MEMORY_MIB_MAX: f64 = 96.0;
/// Written at once.
const PIECE_WORDS: usize = 1 << 17;

/// Measures; `tauto` is the released program. Needs root: then the server is a process of its own.
pub fn figures(tauto: &Path) -> Result<Vec<Figure>> {
    let room = tempfile::tempdir_in(DISK).context("make a folder on the disk to measure")?;
    fs::set_permissions(room.path(), std::os::unix::fs::PermissionsExt::from_mode(0o711))?;
    let package = room.path().join("package");
    write_package(&package)?;
    let serving = Serving::start(tauto, room.path())?;
    let before_mib = serving.memory_mib()?;

    let start = Instant::now();
    let folder = package.to_str().context("the path is not UTF-8")?;
    serving.run(&["contest", "import", folder, "--quiet"])?;
    let imported_s = start.elapsed().as_secs_f64();
    let import_mib = serving.memory_mib()?;

    let start = Instant::now();
    let out = room.path().join("exported.zip");
    serving.run(&["contest", "export", "-o", out.to_str().context("the path is not UTF-8")?, "--quiet"])?;
    let exported_s = start.elapsed().as_secs_f64();
    let export_mib = serving.memory_mib()?;
    let exported = fs::metadata(&out)?.len();
    ensure!(exported > FILES * FILE_BYTES, "the exported package has {exported} bytes only");

    let memory = |key: &str, what: &str, mib| figure(key, what, mib, "MiB").under(MEMORY_MIB_MAX);
    Ok(vec![
        figure("size", "test data in the package", (FILES * FILE_BYTES) as f64 / 1e9, "GB"),
        figure("import", "imported in", imported_s, "s"),
        figure("export", "exported in", exported_s, "s"),
        figure("before", "the server's largest memory before", before_mib, "MiB"),
        memory("import-memory", "its largest memory after the import", import_mib),
        memory("export-memory", "its largest memory after the export", export_mib),
    ])
}

/// Writes a contest of one problem, whose files nothing can compress.
fn write_package(folder: &Path) -> Result<()> {
    let problem = folder.join("problems/big");
    let secret = problem.join("data/secret");
    fs::create_dir_all(&secret)?;
    fs::create_dir_all(problem.join("submissions/accepted"))?;
    fs::create_dir_all(problem.join("problem_statement"))?;
    fs::write(folder.join("contest.yaml"), "id: big\nname: Big\nduration: 5:00:00\n")?;
    fs::write(folder.join("problems.yaml"), "- {id: big, label: A}\n")?;
    fs::write(problem.join("problem.yaml"), "name: Big\n")?;
    fs::write(problem.join("problem_statement/problem.en.md"), "Read it.\n")?;
    fs::write(problem.join("submissions/accepted/a.py"), "print(1)\n")?;
    let mut random = fastrand::Rng::with_seed(1);
    let mut piece = Vec::with_capacity(PIECE_WORDS * 8);
    for number in 0..FILES {
        let mut file = fs::File::create(secret.join(format!("{number:02}.in")))?;
        let mut left = FILE_BYTES as usize;
        while left > 0 {
            piece.clear();
            (0..PIECE_WORDS).for_each(|_| piece.extend_from_slice(&random.u64(..).to_le_bytes()));
            let count = piece.len().min(left);
            file.write_all(&piece[..count])?;
            left -= count;
        }
        fs::write(secret.join(format!("{number:02}.ans")), "1\n")?;
    }
    Ok(())
}

/// `tauto serve` with an admin that has logged in.
struct Serving<'a> {
    tauto: &'a Path,
    room: &'a Path,
    /// The server ends with its parent.
    child: KilledOnDrop,
}

impl<'a> Serving<'a> {
    fn start(tauto: &'a Path, room: &'a Path) -> Result<Self> {
        let data = room.join("data");
        let mut child = Command::new(tauto)
            .args(["serve", "--judgehosts", "0", "--metrics", "none", "--listen", "127.0.0.1:0", "--data"])
            .arg(&data)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("start tauto serve")?;
        let output = child.stdout.take().context("no output")?;
        let serving = Self { tauto, room, child: KilledOnDrop(child) };
        let mut lines = BufReader::new(output).lines();
        let address = loop {
            let line = lines.next().context("tauto serve has ended")??;
            if let Some((_, address)) = line.split_once("serving at ") {
                break address.to_owned();
            }
        };
        // Later output is not used, and must not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        let password = data.join("admin-password");
        let password = password.to_str().context("the path is not UTF-8")?;
        serving.run(&["login", &address, "--user", "admin", "--password-file", password])?;
        Ok(serving)
    }

    fn run(&self, arguments: &[&str]) -> Result<()> {
        let output = Command::new(self.tauto)
            .args(arguments)
            .env("XDG_CONFIG_HOME", self.room.join("config"))
            .output()
            .context("start tauto")?;
        if !output.status.success() {
            bail!("tauto {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr));
        }
        Ok(())
    }

    /// Returns the most that the server's own process has had in memory.
    fn memory_mib(&self) -> Result<f64> {
        let parent = self.child.0.id();
        let children = fs::read_to_string(format!("/proc/{parent}/task/{parent}/children"))?;
        let server = children
            .split_whitespace()
            .next()
            .context("the server is no process of its own: run this as root")?;
        memory_mib(server, "VmHWM")
    }
}
