//! Starts, watches and ends the virtual machine.

use std::io::{BufRead, BufReader, Read, Seek, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use xtask::process;

/// Measured boots took 4 to 10 s; a machine that takes longer than this has failed.
const BOOT_LIMIT: Duration = Duration::from_secs(60);
/// The guest prints this when its file systems and controllers are ready.
const READY: &str = "GUEST ready";
/// The last line of the guest, with the command's exit code.
const RESULT: &str = "RESULT rc=";
/// A longer line of the guest is cut: programs may print anything to the console.
const LINE_LIMIT_BYTES: u64 = 64 * 1024;
const LINES_IN_FLIGHT: usize = 1024;

/// What to boot, and for how long.
pub struct Machine<'a> {
    pub kernel: &'a Path,
    pub initramfs: &'a Path,
    pub run_limit: Duration,
    /// Prints the kernel's own messages too.
    pub verbose: bool,
}

impl Machine<'_> {
    fn command(&self) -> Result<Command> {
        let qemu = process::find("qemu-system-x86_64")
            .context("qemu-system-x86_64 is missing; install it as root: apt-get install qemu-system-x86")?;
        let mut command = Command::new(qemu);
        command
            .args(["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-net", "none"])
            // One thread for all virtual CPUs: slower, but QEMU 7.2 hangs at times with several.
            .args(["-accel", "tcg,thread=single"])
            // `-cpu max` hides the hyperthreads; this model shows them.
            .args(["-M", "q35", "-cpu", "Skylake-Server-v4"])
            .args(["-smp", "8,sockets=2,cores=2,threads=2", "-m", "2048M"])
            .args(["-object", "memory-backend-ram,id=memory0,size=1024M"])
            .args(["-object", "memory-backend-ram,id=memory1,size=1024M"])
            .args(["-numa", "node,nodeid=0,cpus=0-3,memdev=memory0"])
            .args(["-numa", "node,nodeid=1,cpus=4-7,memdev=memory1"])
            .args(["-chardev", "stdio,id=console,signal=off", "-serial", "chardev:console"])
            .arg("-kernel")
            .arg(self.kernel)
            .arg("-initrd")
            .arg(self.initramfs)
            .args(["-append", &self.kernel_command_line()])
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        Ok(command)
    }

    fn kernel_command_line(&self) -> String {
        let volume = if self.verbose { "loglevel=7" } else { "quiet loglevel=3" };
        // panic=-1 reboots at once, and -no-reboot turns that into the end of QEMU.
        format!("console=ttyS0 cgroup_no_v1=all mitigations=off panic=-1 {volume}")
    }

    /// Boots, streams the console to `out`, and returns the command's exit code.
    pub fn run(&self, out: &mut dyn Write) -> Result<u8> {
        // A file, not a pipe: a full pipe without a reader would stop QEMU.
        let mut stderr = tempfile::tempfile().context("cannot make a temporary file for QEMU's errors")?;
        let shared = stderr.try_clone().context("cannot share the temporary file with QEMU")?;
        let mut child = self.command()?.stderr(shared).spawn().context("cannot start qemu-system-x86_64")?;
        let outcome = self.watch(&mut child, out);
        // This fails if the machine has already ended, which is fine.
        let _ = child.kill();
        let status = child.wait().context("cannot wait for QEMU")?;
        match outcome? {
            Some(code) => Ok(code),
            None => {
                let mut words = Vec::new();
                stderr.rewind().context("cannot read QEMU's errors")?;
                stderr.take(LINE_LIMIT_BYTES).read_to_end(&mut words).context("cannot read QEMU's errors")?;
                let words = without_usual_warnings(&String::from_utf8_lossy(&words));
                bail!(
                    "the machine ended ({status}) without a line `{RESULT}N`; see the console above, or run with \
                     --verbose for the kernel's messages. QEMU printed: {:?}",
                    process::tail(words.as_bytes())
                )
            }
        }
    }

    fn watch(&self, child: &mut Child, out: &mut dyn Write) -> Result<Option<u8>> {
        let console = child.stdout.take().context("QEMU has no output")?;
        let (sender, lines) = sync_channel(LINES_IN_FLIGHT);
        std::thread::spawn(move || {
            let mut console = BufReader::new(console);
            while let Some(line) = read_line(&mut console) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        follow(&lines, BOOT_LIMIT, self.run_limit, out)
    }
}

fn follow(
    lines: &Receiver<String>,
    boot_limit: Duration,
    run_limit: Duration,
    out: &mut dyn Write,
) -> Result<Option<u8>> {
    let mut ready = false;
    let mut code = None;
    let mut deadline = Instant::now() + boot_limit;
    loop {
        match lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(line) if !ready && line == READY => {
                ready = true;
                deadline = Instant::now() + run_limit;
            }
            Ok(line) => {
                // The last line counts: programs in the guest can print such a line only before it.
                let result = line.strip_prefix(RESULT).and_then(|digits| digits.parse::<u8>().ok());
                code = result.filter(|_| ready).or(code);
                writeln!(out, "{line}").context("cannot print the machine's console")?;
            }
            Err(RecvTimeoutError::Disconnected) => return Ok(code),
            Err(RecvTimeoutError::Timeout) if !ready => {
                bail!(
                    "the machine did not boot within {} s; run with --verbose to see why",
                    boot_limit.as_secs()
                )
            }
            Err(RecvTimeoutError::Timeout) => bail!(
                "the command did not end within {} s; give it longer with --time-limit-s",
                run_limit.as_secs()
            ),
        }
    }
}

/// Removes QEMU's usual warnings: the processor model has more features than the emulator.
fn without_usual_warnings(stderr: &str) -> String {
    let unusual = stderr.lines().filter(|line| !line.contains("TCG doesn't support requested feature"));
    unusual.collect::<Vec<_>>().join("\n")
}

/// Reads one console line without its end; `None` at the end of the stream. A longer line is returned in pieces.
fn read_line(console: &mut impl BufRead) -> Option<String> {
    let mut bytes = Vec::new();
    match console.by_ref().take(LINE_LIMIT_BYTES).read_until(b'\n', &mut bytes) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(String::from_utf8_lossy(&bytes).trim_end_matches(['\r', '\n']).to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(console: &[&str]) -> (Result<Option<u8>>, String) {
        let (sender, lines) = sync_channel(LINES_IN_FLIGHT);
        for line in console {
            sender.send((*line).to_owned()).unwrap();
        }
        drop(sender);
        let mut out = Vec::new();
        let code = follow(&lines, Duration::from_secs(60), Duration::from_secs(60), &mut out);
        (code, String::from_utf8(out).unwrap())
    }

    #[test]
    fn the_last_result_after_ready_is_the_exit_code() {
        let (code, out) = check(&["boot", "GUEST ready", "RESULT rc=0", "RESULT rc=x", "RESULT rc=3"]);
        assert_eq!(code.unwrap(), Some(3));
        assert_eq!(out, "boot\nRESULT rc=0\nRESULT rc=x\nRESULT rc=3\n");
        assert_eq!(check(&["RESULT rc=0"]).0.unwrap(), None, "nothing has run before the machine is ready");
        assert_eq!(check(&["GUEST ready", "Kernel panic"]).0.unwrap(), None);
    }

    #[test]
    fn timeouts_of_boot_and_command_are_distinguished() {
        let (sender, lines) = sync_channel(LINES_IN_FLIGHT);
        let error = follow(&lines, Duration::ZERO, Duration::ZERO, &mut Vec::new()).unwrap_err();
        assert!(error.to_string().contains("did not boot"), "{error}");
        sender.send(READY.to_owned()).unwrap();
        let error = follow(&lines, Duration::from_secs(60), Duration::ZERO, &mut Vec::new()).unwrap_err();
        assert!(error.to_string().contains("--time-limit-s"), "{error}");
    }

    #[test]
    fn console_lines_lose_their_ends_and_long_ones_are_cut() {
        let mut console = std::io::Cursor::new(b"one\r\ntwo\nth\xffree".to_vec());
        let lines: Vec<String> = std::iter::from_fn(|| read_line(&mut console)).collect();
        assert_eq!(lines, ["one", "two", "th\u{fffd}ree"]);
        let length = usize::try_from(LINE_LIMIT_BYTES).unwrap();
        let mut console = std::io::Cursor::new(vec![b'x'; length + 5]);
        let lengths: Vec<usize> =
            std::iter::from_fn(|| read_line(&mut console)).map(|line| line.len()).collect();
        assert_eq!(lengths, [length, 5]);
    }
}
