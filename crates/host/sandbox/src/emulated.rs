//! A program that runs under an emulator, which counts its instructions.
//!
//! The emulator is an ordinary program of the run: limits, filter and namespaces hold for both alike. It has memory of its
//! own, which is not the program's, and one thread more for each process.

#![allow(unsafe_code)]

use crate::SandboxError;
use crate::numbers;
use crate::plan::RunPlan;
use crate::protocol::Emulation;
use crate::sys::check;
use counter::Counts;
use model::{Bytes, InstructionCount, Nanos, Reading};
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::ffi::{CString, c_char};
use std::io;
use std::path::Path;

/// The emulator's own memory: 6 MiB at its start, and at most 128 MiB of translated code.
const MEMORY: Bytes = Bytes::from_mib(160);
/// Addresses that a program may reserve beyond its memory.
const ADDRESSES: Bytes = Bytes::from_mib(4096);
/// No emulator or processor is faster, so that a run does not reach its limit earlier.
pub const INSTRUCTIONS_PER_NANOSECOND_MAX: u64 = 8;
/// No call of the kernel takes a program this long without one instruction of it.
const STANDS_STILL_MAX: Nanos = Nanos::from_millis(3_000);
/// The stack of each thread. Each is mapped at another address, for which the emulator keeps memory that it does not return; the
/// main thread's is an option.
pub const THREAD_STACK: Bytes = Bytes::from_mib(8);
/// The descriptors that the emulator gets, and closes before the program begins.
const COUNTS: i32 = 3;
const PLUGIN: i32 = 4;

/// Returns the limit on memory of the program and its emulator together.
pub fn memory(plan: &RunPlan, own: Bytes) -> Bytes {
    if plan.emulator().is_some() { Bytes(own.0.saturating_add(MEMORY.0)) } else { own }
}

/// Returns the limit on addresses, beyond which the emulator's own lists of the program's pages would be long. Runtimes that
/// reserve much more than they use ask for the limit, and reserve less.
pub fn addresses(plan: &RunPlan) -> Option<Bytes> {
    plan.emulator()?;
    plan.limits.memory.map(|memory| Bytes(memory.0.saturating_add(ADDRESSES.0)))
}

/// Returns the limit on tasks of the program and its emulator together.
pub fn processes(plan: &RunPlan, own: u32) -> u32 {
    if plan.emulator().is_some() { own.saturating_mul(2) } else { own }
}

/// Makes the memory in which runs count. A program sees the number of its inode, which must not tell how many files in memory
/// earlier runs have made.
pub fn counts() -> Result<Counts, SandboxError> {
    let made = numbers::move_memory_files_on().and_then(|()| Counts::new());
    made.map_err(SandboxError::system("make memory for the run's instructions"))
}

/// What is seen of a run's count while it goes on. It only grows, and as long as the program uses CPU time; a program that
/// changes it would have to change it all the time.
#[derive(Debug, Default)]
pub struct CountSeen {
    last: InstructionCount,
    /// The CPU time when it grew.
    grown_at: Nanos,
    doubt: Option<String>,
}

impl CountSeen {
    pub fn note(&mut self, count: InstructionCount, cpu_time: Nanos) {
        if count > self.last {
            (self.last, self.grown_at) = (count, cpu_time);
        } else if count < self.last {
            let last = self.last;
            self.doubt.get_or_insert_with(|| format!("they fell from {last} to {count} while it ran"));
        } else if cpu_time.saturating_sub(self.grown_at) > STANDS_STILL_MAX {
            let still = cpu_time.saturating_sub(self.grown_at);
            self.doubt.get_or_insert_with(|| format!("they stood still at {count} for {still} of CPU time"));
        }
    }

    /// Returns the count at the end, or why it is not believed.
    pub fn conclude(
        mut self,
        count: Reading<InstructionCount>,
        cpu_time: Nanos,
    ) -> Reading<InstructionCount> {
        if let Reading::Known(count) = &count {
            self.note(*count, cpu_time);
        }
        self.doubt.map_or(count, Reading::Unavailable)
    }
}

/// Returns what the run gets for counting.
pub fn descriptors(counts: Option<&Counts>) -> Result<Vec<BorrowedFd<'_>>, SandboxError> {
    let Some(counts) = counts else { return Ok(Vec::new()) };
    let plugin = counter::plugin().map_err(SandboxError::system("make the emulator's plugin"))?;
    Ok(vec![counts.as_fd(), plugin])
}

pub fn count(counts: Option<&Counts>) -> Reading<InstructionCount> {
    match counts.map(Counts::instructions) {
        Some(Ok(count)) => Reading::Known(count),
        Some(Err(error)) => Reading::Unavailable(format!("the counts cannot be read: {error}")),
        None => Reading::unavailable("they were not counted"),
    }
}

/// Returns the program's part of the memory that it and its emulator had at most.
pub fn own_memory(peak: &Reading<Bytes>, counts: Option<&Counts>) -> Reading<Bytes> {
    let emulator = counts.and_then(|counts| counts.emulator_memory().ok()).unwrap_or(Bytes(0));
    // The program can write there, but gains no more than the kernel's limit leaves.
    let emulator = emulator.min(MEMORY);
    peak.clone().map(|peak| Bytes(peak.0.saturating_sub(emulator.0)))
}

/// Returns how a program with this stack runs under an emulator, which loads more plugins.
pub fn emulation(
    emulator: &Path,
    stack: Option<Bytes>,
    plugins: &[String],
) -> Result<Emulation, SandboxError> {
    let emulator = emulator.display().to_string();
    // The same random numbers for the C library and `rdrand`, and a processor that is not the machine's.
    let options = ["-seed", "1", "-cpu", "max", "-U", "LD_PRELOAD", "-plugin"].map(str::to_owned);
    let stack = stack.map(|stack| ["-s".to_owned(), stack.0.to_string()]);
    let options = stack.into_iter().flatten().chain(options);
    let argv = [emulator].into_iter().chain(options).chain([Counts::plugin_arguments(COUNTS, PLUGIN)]);
    let more = plugins.iter().flat_map(|plugin| ["-plugin".to_owned(), plugin.clone()]);
    let argv = argv.chain(more);
    let mut pass = [0; 8];
    rustix::rand::getrandom(&mut pass, rustix::rand::GetRandomFlags::empty())
        .map_err(|error| SandboxError::system("make a random number")(error))?;
    Ok(Emulation { argv: argv.collect(), pass: u64::from_ne_bytes(pass) })
}

/// Gives this process the descriptors of the emulator. Its other descriptors may then be closed, whatever they were.
pub fn place([counts, plugin]: &[OwnedFd; 2]) -> io::Result<()> {
    // First out of the way of the numbers.
    let above = |fd: &OwnedFd| rustix::io::fcntl_dupfd_cloexec(fd, PLUGIN + 1);
    let (counts, plugin) = (above(counts)?, above(plugin)?);
    for (fd, number) in [(counts, COUNTS), (plugin, PLUGIN)] {
        // SAFETY: this process is about to execute another program, and uses none of its descriptors any more.
        check(unsafe { libc::dup2(fd.as_raw_fd(), number) })?;
    }
    Ok(())
}

/// Executes the emulator with a program; returns only the reason for a failure. Whether the program is there is asked before,
/// since the emulator would be executed in any case.
pub fn execute(
    emulation: &[CString],
    pass: u64,
    program: &CString,
    argv: &[CString],
    environment: &[CString],
) -> io::Error {
    if let Err(error) = check_program(program) {
        return error;
    }
    // A path that is no option of the emulator.
    let path = CString::new([b"./", program.as_bytes()].concat()).unwrap_or_default();
    let program = if program.as_bytes().starts_with(b"-") { &path } else { program };
    // The name that the program sees is not its path.
    let name = argv.first().unwrap_or(program);
    let own = [c"-0", name.as_c_str(), program.as_c_str()];
    let words = emulation.iter().map(CString::as_c_str).chain(own);
    let words = words.chain(argv.iter().skip(1).map(CString::as_c_str));
    let words: Vec<*const c_char> = words.map(|word| word.as_ptr()).chain([std::ptr::null()]).collect();
    // For the emulator alone, which takes it out of the program's environment.
    let preloaded = format!("LD_PRELOAD=/proc/self/fd/{PLUGIN}\0");
    let environment = environment.iter().map(|variable| variable.as_ptr());
    let environment: Vec<*const c_char> =
        [preloaded.as_ptr().cast()].into_iter().chain(environment).chain([std::ptr::null()]).collect();
    // SAFETY: all strings are NUL-terminated and all lists end with a null pointer. The kernel ignores the last argument.
    unsafe {
        libc::syscall(
            libc::SYS_execveat,
            libc::AT_FDCWD,
            emulation[0].as_ptr(),
            words.as_ptr(),
            environment.as_ptr(),
            0,
            pass,
        )
    };
    io::Error::last_os_error()
}

/// Checks that a file is a program that the emulator can run: no script, since the emulator does not look for its interpreter.
fn check_program(path: &CString) -> io::Result<()> {
    rustix::fs::access(path, rustix::fs::Access::EXEC_OK)?;
    let file = rustix::fs::open(path, rustix::fs::OFlags::CLOEXEC, rustix::fs::Mode::empty())?;
    let mut magic = [0; 4];
    let read = rustix::io::read(&file, &mut magic)?;
    if read == magic.len() && magic == *b"\x7fELF" {
        Ok(())
    } else {
        Err(io::Error::from_raw_os_error(libc::ENOEXEC))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn concluded(looks: &[(u64, u64)], end: (u64, u64)) -> Reading<InstructionCount> {
        let mut seen = CountSeen::default();
        for (count, ms) in looks {
            seen.note(InstructionCount(*count), Nanos::from_millis(*ms));
        }
        seen.conclude(Reading::Known(InstructionCount(end.0)), Nanos::from_millis(end.1))
    }

    #[test]
    fn a_count_that_falls_or_stands_still_is_not_believed() {
        let known = |count| Reading::Known(InstructionCount(count));
        assert_eq!(concluded(&[(5, 100), (5, 3_000), (9, 3_100), (9, 6_100)], (9, 6_100)), known(9));
        assert_eq!(concluded(&[], (0, 3_000)), known(0));
        let why = |reading: Reading<InstructionCount>| match reading {
            Reading::Unavailable(why) => why,
            Reading::Known(count) => panic!("{count} is believed"),
        };
        assert_eq!(why(concluded(&[(9, 100)], (8, 200))), "they fell from 9 to 8 while it ran");
        assert_eq!(
            why(concluded(&[(9, 100), (9, 3_101)], (10, 3_200))),
            "they stood still at 9 for 3.001 s of CPU time"
        );
        assert_eq!(why(concluded(&[(9, 100)], (9, 3_101))), "they stood still at 9 for 3.001 s of CPU time");
    }
}
