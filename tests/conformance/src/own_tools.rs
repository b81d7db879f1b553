//! Whether a compiler that executes what was submitted sees any file that runs see, too.

use crate::table::{Row, outcome};
use anyhow::{Context, Result, bail, ensure};
use judge::{BuildLimits, BuildOutcome, Compilation, Station};
use languages::{Entry, SourceFile};
use model::{Bytes, Nanos};
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Programs that print, while they are compiled, which mounts they see and what they had to wait for.
const PROGRAMS: [(&str, &str, &str); 4] = [
    (
        "perl",
        "main.pl",
        "use File::Find; use POSIX; \
         BEGIN { find({ no_chdir => 1, wanted => sub { open(my $f, '<', $_) or return; -f $f or return; 1 while read($f, my $part, 1 << 16) } }, '/usr'); \
         for my $name (qw(mountinfo stat io)) { open(my $f, '<', \"/proc/self/$name\") or next; print STDERR \"$name $_\" while <$f>; } }",
    ),
    (
        "lisp",
        "main.lisp",
        "(eval-when (:compile-toplevel) (dolist (name '(\"mountinfo\" \"stat\" \"io\")) \
         (with-open-file (file (format nil \"/proc/self/~a\" name) :if-does-not-exist nil) \
         (when file (loop for line = (read-line file nil) while line do (format t \"~a ~a~%\" name line))))))",
    ),
    (
        "haskell",
        "main.hs",
        "{-# LANGUAGE TemplateHaskell #-}\n\
         import Language.Haskell.TH\nimport System.IO\nimport Control.Monad\n\
         main :: IO ()\n\
         main = $(do { runIO (forM_ [\"mountinfo\", \"stat\"] (\\name -> do { text <- readFile (\"/proc/self/\" ++ name); \
         forM_ (lines text) (\\line -> hPutStrLn stderr (name ++ \" \" ++ line)) })); [| putStrLn \"Hello\" |] })\n",
    ),
    (
        "haskell",
        "pre.hs",
        // What GHC starts as its preprocessor reads this file as a script.
        "{-# OPTIONS_GHC -F -pgmF /bin/sh #-}\n\
         {-\nwhile read line; do echo \"mountinfo $line\"; done </proc/self/mountinfo >&2\n\
         read line </proc/self/stat; echo \"stat $line\" >&2\n\
         echo 'main = return ()' >\"$2\"; exit\n-}\nmain :: IO ()\nmain = return ()\n",
    ),
];

/// Has the linker started by a program that prints the mounts.
const ADA: &str = "procedure Main is
   pragma Linker_Options (\"-wrapper\");
   pragma Linker_Options (\"/bin/sh,/program/wrapper\");
begin
   null;
end Main;
";
/// Prints a line where the compiler runs it.
const JAVA_PLUGIN: &str = "public class Evil implements com.sun.source.util.Plugin {
    public String getName() { return \"evil\"; }
    public void init(com.sun.source.util.JavacTask task, String... arguments) { System.err.println(\"EXECUTED\"); }
    public boolean autoStart() { return true; }
}
";
const JAVA_PROCESSOR: &str = "public class Evil extends javax.annotation.processing.AbstractProcessor {
    static { System.err.println(\"EXECUTED\"); }
    public boolean process(java.util.Set<? extends javax.lang.model.element.TypeElement> all,
                           javax.annotation.processing.RoundEnvironment round) { return false; }
}
";
const JAVA: &str = "class Main { public static void main(String[] arguments) {} }";

/// Less than the copies of any language have.
const COPIES: Bytes = Bytes::from_mib(32);

pub fn run(station: &Station) -> Vec<Row> {
    let mut rows = programs(station);
    let is_here = |id| station.languages().get(id).is_some_and(|known| known.missing(Path::exists).is_none());
    if is_here("ada") {
        rows.push(outcome("own-tools-ada-linker", ada(station)));
    }
    if is_here("pascal") {
        rows.push(outcome("own-tools-pascal-settings", pascal(station)));
    }
    if is_here("java") {
        let plugin = java(station, "com.sun.source.util.Plugin", JAVA_PLUGIN);
        rows.push(outcome("own-tools-java-plugin", plugin));
        let processor = java(station, "javax.annotation.processing.Processor", JAVA_PROCESSOR);
        rows.push(outcome("own-tools-java-processor", processor));
    }
    // The copies of the last one that is compiled must go without another run.
    let last = is_here("lisp").then(|| compile(station, "lisp", "main.lisp", ""));
    rows.push(outcome("own-tools-not-kept", last.map_or(Ok(()), |last| last.and_then(|_| not_kept()))));
    rows
}

/// Checks that no slot keeps the copies once a compiler has ended.
fn not_kept() -> Result<()> {
    let own = std::process::id().to_string();
    let mut launchers = 0;
    for entry in fs::read_dir("/proc")?.flatten() {
        // Others' processes may end meanwhile.
        let Ok(status) = fs::read_to_string(entry.path().join("status")) else { continue };
        if status.lines().find_map(|line| line.strip_prefix("PPid:")).map(str::trim) == Some(own.as_str()) {
            let mounts = fs::read_to_string(entry.path().join("mountinfo"))?;
            launchers += usize::from(mounts.contains(" /usr "));
            ensure!(!mounts.contains(" /root/usr /usr "), "{} keeps the copies", entry.path().display());
        }
    }
    ensure!(launchers > 0, "there is no launcher");
    Ok(())
}

fn ada(station: &Station) -> Result<()> {
    let file = |name: &str, text: &str| SourceFile { name: name.to_owned(), bytes: text.as_bytes().to_vec() };
    let files = [file("main.adb", ADA), file("wrapper", "cat /proc/self/mountinfo >&2; exec \"$@\"")];
    match build(station, "ada", &files)? {
        BuildOutcome::Built(_, compilation) => {
            bail!("the linker was another program: {}", compilation.output)
        }
        BuildOutcome::Failed(compilation) => {
            ensure!(!compilation.output.contains(" /usr "), "it was executed: {}", compilation.output);
            ensure!(compilation.output.contains("/bin/sh"), "it failed otherwise: {}", compilation.output);
            Ok(())
        }
    }
}

/// Submits settings of the compiler, which could make the linker load a program.
fn pascal(station: &Station) -> Result<()> {
    let file = |name: &str, text: &str| SourceFile { name: name.to_owned(), bytes: text.as_bytes().to_vec() };
    let files = [file("main.pas", "program main; begin end."), file("fpc.cfg", "#WRITE EXECUTED\n")];
    is_not_executed(build(station, "pascal", &files)?)
}

fn is_not_executed(outcome: BuildOutcome) -> Result<()> {
    match outcome {
        BuildOutcome::Built(_, compilation) => {
            ensure!(!compilation.output.contains("EXECUTED"), "it was executed: {}", compilation.output);
            Ok(())
        }
        BuildOutcome::Failed(compilation) => {
            bail!("it does not compile: {} {}", compilation.failure.unwrap_or_default(), compilation.output)
        }
    }
}

/// Submits a class that the compiler would run as this service.
fn java(station: &Station, service: &str, source: &str) -> Result<()> {
    let place = tempfile::tempdir()?;
    fs::write(place.path().join("Evil.java"), source)?;
    let compiled =
        Command::new("javac").args(["-proc:none", "Evil.java"]).current_dir(place.path()).output()?;
    ensure!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let class = fs::read(place.path().join("Evil.class"))?;
    let file = |name: &str, bytes: &[u8]| SourceFile { name: name.to_owned(), bytes: bytes.to_vec() };
    let files = [
        file("Main.java", JAVA.as_bytes()),
        file("Evil.class", &class),
        file(&format!("META-INF/services/{service}"), b"Evil\n"),
    ];
    is_not_executed(build(station, "java", &files)?)
}

fn programs(station: &Station) -> Vec<Row> {
    PROGRAMS
        .iter()
        .filter_map(|(language, file, source)| {
            let name = format!("own-tools-{}", file.replace("main.hs", "haskell").replace('.', "-"));
            let known = station.languages().get(language)?;
            if let Some(missing) = known.missing(Path::exists) {
                let what = format!("{} ({})", missing.program.display(), missing.install_hint);
                test_support::count(&name, &what);
                return None;
            }
            Some(outcome(&name, check(station, language, file, source)))
        })
        .collect()
}

fn check(station: &Station, language: &str, file: &str, source: &str) -> Result<()> {
    forget(Path::new("/usr/lib"), "perl");
    let compilation = compile(station, language, file, source)?;
    let peak = compilation.usage.memory_peak.known().copied().unwrap_or_default();
    ensure!(language != "perl" || peak < COPIES, "the copies count as the compiler's memory: {peak}");
    let output = &compilation.output;
    let lines = |name: &str| -> Vec<&str> {
        output.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(' ')).collect()
    };
    let mounts = lines("mountinfo");
    ensure!(!mounts.is_empty(), "it printed no mounts: {:?} {output}", compilation.failure);
    let device = fs::metadata("/usr")?.dev();
    let device = format!("{}:{}", rustix::fs::major(device), rustix::fs::minor(device));
    for mount in mounts {
        // proc(5): number, parent, device, root, place, ... - type, ...
        let fields: Vec<&str> = mount.split(' ').collect();
        let place = *fields.get(4).context("a short line of mountinfo")?;
        let kind = fields.iter().skip_while(|field| **field != "-").nth(1).context("no type of a mount")?;
        let is_own = matches!(*kind, "tmpfs" | "proc") && fields.get(2) != Some(&device.as_str());
        ensure!(is_own || place.starts_with("/dev/"), "the machine's own files are there: {mount}");
    }
    let stat = lines("stat");
    let stat = stat.first().and_then(|line| line.rsplit(')').next()).context("it printed no faults")?;
    // The 12th field, of which two are before the bracket.
    let waited = stat.split_ascii_whitespace().nth(9);
    ensure!(waited == Some("0"), "faults that waited for a disk: {waited:?}");
    if let Some(read) = lines("io").iter().find_map(|line| line.strip_prefix("read_bytes: ")) {
        ensure!(read == "0", "{read} bytes were read from a disk");
    }
    Ok(())
}

fn compile(station: &Station, language: &str, file: &str, source: &str) -> Result<Compilation> {
    let files = [SourceFile { name: file.to_owned(), bytes: source.as_bytes().to_vec() }];
    match build(station, language, &files)? {
        BuildOutcome::Built(_, compilation) => Ok(compilation),
        BuildOutcome::Failed(compilation) => {
            bail!("{} {}", compilation.failure.unwrap_or_default(), compilation.output)
        }
    }
}

fn build(station: &Station, language: &str, files: &[SourceFile]) -> Result<BuildOutcome> {
    let language = station.languages().get(language).context("no such language")?;
    let limits = BuildLimits {
        time: Nanos::from_millis(60_000),
        memory: Bytes::from_mib(2048),
        program_memory: Bytes::from_mib(256),
    };
    Ok(station.helper().build(language, files, Entry::default(), &limits)?)
}

/// Has the kernel forget the content of files below a folder, of those with this in their path.
fn forget(folder: &Path, part: &str) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()).collect::<Vec<PathBuf>>() {
        let Ok(data) = path.symlink_metadata() else { continue };
        if data.is_dir() {
            forget(&path, part);
        } else if data.is_file()
            && path.to_string_lossy().contains(part)
            && let Ok(file) = File::open(&path)
        {
            // What is in use stays.
            let _ = rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed);
        }
    }
}
