//! The working side of a load: the child process.

use super::process::{ASK, FAILED};
use super::{LoadKind, cpu, io, memory};
use cpus::stay_on;
use model::CpuSet;
use rustix::process::{Pid, Signal};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The failure of a thread; the first one counts.
type Trouble = Arc<Mutex<Option<String>>>;

/// Works on `cpus` until `questions` end, and answers each with the work of each thread.
///
/// The process must end when this returns: its threads never do.
pub fn serve(
    kind: LoadKind,
    cpus: &CpuSet,
    floating: bool,
    folder: &Path,
    parent: u32,
    questions: impl Read,
    answers: impl Write,
) -> std::io::Result<()> {
    die_with(parent)?;
    let trouble = Trouble::default();
    let counts: Vec<_> = cpus.iter().map(|_| Arc::new(AtomicU64::new(0))).collect();
    for (cpu, count) in cpus.iter().zip(&counts) {
        let (count, trouble, folder) = (Arc::clone(count), Arc::clone(&trouble), folder.to_owned());
        let threads = cpus.len();
        let home = if floating { cpus.clone() } else { CpuSet::from_iter([cpu]) };
        std::thread::Builder::new().name(format!("load-{kind}-{cpu}")).spawn(move || {
            let why = match stay_on(&home) {
                Ok(()) => work(kind, threads, folder, &count),
                Err(error) => format!("cannot move to CPU {home}: {error}"),
            };
            trouble.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
        })?;
    }
    // Answering uses no time of the measured CPUs.
    stay_on(cpus)?;
    answer(&counts, &trouble, questions, answers)
}

/// Works for ever, or returns the failure.
fn work(kind: LoadKind, threads: usize, folder: PathBuf, count: &AtomicU64) -> String {
    match kind {
        LoadKind::Cpu => cpu::work(count),
        LoadKind::Memory => memory::work(memory::share(threads), count),
        LoadKind::Io => {
            let error = io::work(&folder, count);
            format!("cannot write a file in {}: {error}", folder.display())
        }
    }
}

/// Answers each question with a line of counts, or with the failure.
fn answer(
    counts: &[Arc<AtomicU64>],
    trouble: &Trouble,
    mut questions: impl Read,
    mut answers: impl Write,
) -> std::io::Result<()> {
    let mut question = [0];
    loop {
        match questions.read(&mut question) {
            Ok(0) => return Ok(()),
            Ok(_) if question == [ASK] => {}
            Ok(_) => {
                let why = format!("byte {} is no question", question[0]);
                return Err(std::io::Error::new(ErrorKind::InvalidInput, why));
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        }
        let line = match &*trouble.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(why) => format!("{FAILED}{}\n", why.replace('\n', " ")),
            None => {
                let counts: Vec<String> =
                    counts.iter().map(|count| count.load(Ordering::Relaxed).to_string()).collect();
                format!("{}\n", counts.join(" "))
            }
        };
        answers.write_all(line.as_bytes())?;
        answers.flush()?;
    }
}

/// Requests that the kernel kills this process when its parent ends.
pub(crate) fn die_with(parent: u32) -> std::io::Result<()> {
    end_with(parent, Signal::KILL)
}

/// Requests that the kernel sends this process a signal when its parent ends; this survives exec.
pub(crate) fn end_with(parent: u32, signal: Signal) -> std::io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(signal))?;
    // The parent may have ended before the request.
    if rustix::process::getppid().map(Pid::as_raw_nonzero).is_none_or(|pid| pid.get() as u32 != parent) {
        return Err(std::io::Error::other("the process that wanted this load is gone"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(counts: &[u64], trouble: Option<&str>, questions: &[u8]) -> Result<String, String> {
        let counts: Vec<_> = counts.iter().map(|count| Arc::new(AtomicU64::new(*count))).collect();
        let trouble = Arc::new(Mutex::new(trouble.map(str::to_owned)));
        let mut text = Vec::new();
        answer(&counts, &trouble, questions, &mut text).map_err(|error| error.to_string())?;
        Ok(String::from_utf8(text).unwrap())
    }

    #[test]
    fn each_question_gets_a_line() {
        assert_eq!(answers(&[7, 0], None, b"??"), Ok("7 0\n7 0\n".to_owned()));
        assert_eq!(answers(&[7], None, b""), Ok(String::new()));
        assert_eq!(answers(&[7], Some("disk\nfull"), b"?"), Ok("failed: disk full\n".to_owned()));
        assert_eq!(answers(&[7], None, b"x"), Err("byte 120 is no question".to_owned()));
    }

    #[test]
    fn a_parent_that_is_gone_is_noticed() {
        let error =
            serve(LoadKind::Cpu, &CpuSet::new(), false, Path::new("/"), u32::MAX, &b""[..], Vec::new());
        assert!(error.unwrap_err().to_string().contains("is gone"));
        // The test itself must not die with the thread that made it.
        rustix::process::set_parent_process_death_signal(None).unwrap();
    }

    #[test]
    fn a_file_that_cannot_be_written_is_reported() {
        let count = AtomicU64::new(0);
        let why = work(LoadKind::Io, 1, PathBuf::from("/proc/no-such-folder"), &count);
        assert!(why.starts_with("cannot write a file in /proc/no-such-folder: "), "{why}");
        assert_eq!(count.load(Ordering::Relaxed), 0);
    }
}
