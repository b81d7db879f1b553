//! The kernel, memory, files and processes of the host.

use super::{Facts, shown};
use crate::{Roots, files};
use model::{Bytes, Reading};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

#[derive(Clone, Debug)]
pub struct Kernel {
    /// The release, such as `6.1.0-18-amd64`.
    pub release: Reading<String>,
    /// The two numbers that determine the kernel's features.
    pub version: Reading<KernelVersion>,
    /// How often the scheduler's tick comes, in Hz.
    pub tick_hz: Reading<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KernelVersion(pub u32, pub u32);

const SPACES: [&str; 2] = ["/tmp", "/run"];

/// Values that only system calls return; asked once, and passed to [`super::Machine::read`].
#[derive(Clone, Debug)]
pub struct KernelAnswers {
    /// How often the scheduler's tick comes, in Hz.
    pub tick_hz: Reading<u32>,
    pub landlock_abi: Reading<u32>,
    pub spaces: Vec<Space>,
}

#[derive(Clone, Debug)]
pub struct Memory {
    pub total: Reading<Bytes>,
    pub available: Reading<Bytes>,
    /// The overcommit mode: 0 heuristic, 1 always, 2 never.
    pub overcommit: Reading<u8>,
}

#[derive(Clone, Debug)]
pub struct Host {
    pub pid_max: Reading<u64>,
    pub kvm: bool,
    /// Evidence of being inside a container; `None` if there is none.
    pub container: Option<String>,
    pub spaces: Vec<Space>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Space {
    pub path: PathBuf,
    pub available: Reading<Bytes>,
}

impl fmt::Display for KernelVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}

impl FromStr for KernelVersion {
    type Err = String;

    fn from_str(release: &str) -> Result<Self, Self::Err> {
        let wrong = || format!("the kernel release '{release}' does not start with two numbers such as 6.1");
        let mut numbers = release.split(|c: char| !c.is_ascii_digit());
        let mut next = || numbers.next().and_then(|digits| digits.parse().ok());
        Ok(Self(next().ok_or_else(wrong)?, next().ok_or_else(wrong)?))
    }
}

impl KernelAnswers {
    pub fn ask() -> Self {
        let spaces =
            SPACES.map(|path| Space { path: path.into(), available: space(Path::new(path)) }).to_vec();
        Self { tick_hz: tick_hz(), landlock_abi: landlock_abi(), spaces }
    }

    pub fn unasked(why: &str) -> Self {
        let spaces = SPACES.map(|path| Space { path: path.into(), available: Reading::unavailable(why) });
        Self {
            tick_hz: Reading::unavailable(why),
            landlock_abi: Reading::unavailable(why),
            spaces: spaces.to_vec(),
        }
    }
}

impl Kernel {
    pub(super) fn read(roots: &Roots, answers: &KernelAnswers) -> Self {
        let kernel = roots.proc.join("sys/kernel");
        let release = files::text(&kernel.join("osrelease"));
        Self {
            version: files::and_then(release.clone(), |release| release.parse()),
            release,
            tick_hz: answers.tick_hz.clone(),
        }
    }

    pub(super) fn facts(&self, facts: &mut Facts) {
        facts.extend([("kernel", self.release.clone()), ("scheduler tick (Hz)", shown(&self.tick_hz))]);
    }
}

impl Memory {
    pub(super) fn read(roots: &Roots) -> Self {
        let meminfo = files::text(&roots.proc.join("meminfo"));
        let amount = |key: &str| {
            files::and_then(meminfo.clone(), |text| {
                files::field(&text, key)
                    .and_then(|value| value.strip_suffix("kB")?.trim().parse().ok())
                    .map(Bytes::from_kib)
                    .ok_or_else(|| format!("/proc/meminfo has no line '{key}: N kB'"))
            })
        };
        Self {
            total: amount("MemTotal"),
            available: amount("MemAvailable"),
            overcommit: files::value(&roots.proc.join("sys/vm/overcommit_memory")),
        }
    }

    pub(super) fn facts(&self, facts: &mut Facts) {
        facts.extend([
            ("memory", shown(&self.total)),
            ("memory available", shown(&self.available)),
            ("overcommit", shown(&self.overcommit)),
        ]);
    }
}

impl Host {
    pub(super) fn read(roots: &Roots, answers: &KernelAnswers) -> Self {
        let kernel = roots.proc.join("sys/kernel");
        Self {
            pid_max: files::value(&kernel.join("pid_max")),
            kvm: roots.dev.join("kvm").exists(),
            container: container(roots),
            spaces: answers.spaces.clone(),
        }
    }

    pub(super) fn facts(&self, facts: &mut Facts) {
        facts.extend([
            ("largest process number", shown(&self.pid_max)),
            ("/dev/kvm", Reading::Known(if self.kvm { "present" } else { "absent" }.to_owned())),
            ("container", Reading::Known(self.container.clone().unwrap_or_else(|| "none seen".to_owned()))),
        ]);
        for space in &self.spaces {
            let name = if space.path == Path::new("/tmp") { "space in /tmp" } else { "space in /run" };
            facts.push((name, shown(&space.available)));
        }
    }
}

fn container(roots: &Roots) -> Option<String> {
    for mark in ["/.dockerenv", "/run/.containerenv"] {
        if roots.resolve(Path::new(mark)).exists() {
            return Some(format!("{mark} exists"));
        }
    }
    let group = files::text(&roots.proc.join("1/cgroup"));
    let group = group.known()?;
    ["docker", "kubepods", "containerd", "libpod", "lxc"]
        .into_iter()
        .find(|word| group.contains(word))
        .map(|word| format!("the first process is in a cgroup of {word}"))
}

fn space(path: &Path) -> Reading<Bytes> {
    match rustix::fs::statvfs(path) {
        Ok(stat) => Reading::Known(Bytes(stat.f_bavail.saturating_mul(stat.f_frsize))),
        Err(error) => {
            Reading::unavailable(format!("cannot read the free space in {}: {error}", path.display()))
        }
    }
}

/// Returns the tick rate, from the resolution of the coarse clock, which advances once per tick.
fn tick_hz() -> Reading<u32> {
    let resolution = rustix::time::clock_getres(rustix::time::ClockId::MonotonicCoarse);
    let hz = match resolution.tv_nsec {
        nanos if resolution.tv_sec == 0 && nanos > 0 => {
            u32::try_from((1_000_000_000 + nanos / 2) / nanos).ok()
        }
        _ => None,
    };
    files::known_or(hz, || format!("the coarse clock has an odd resolution: {resolution:?}"))
}

#[allow(unsafe_code)]
fn landlock_abi() -> Reading<u32> {
    const CREATE_RULESET_VERSION: libc::c_uint = 1;
    // SAFETY: with this flag, a null pointer and a size of 0 the call only returns a number.
    let answer = unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            std::ptr::null::<u8>(),
            0_usize,
            CREATE_RULESET_VERSION,
        )
    };
    match u32::try_from(answer) {
        Ok(version) => Reading::Known(version),
        Err(_) => Reading::unavailable(format!(
            "the kernel has no landlock, or it is off: {}",
            std::io::Error::last_os_error()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use test_tree::Tree;

    #[test]
    fn releases_parse() {
        for (release, version) in [
            ("6.18.44-fc-v657", (6, 18)),
            ("5.14.0", (5, 14)),
            ("6.1-rc3", (6, 1)),
            ("4.18.0-553.el8", (4, 18)),
        ] {
            assert_eq!(release.parse(), Ok(KernelVersion(version.0, version.1)));
        }
        assert!("linux".parse::<KernelVersion>().unwrap_err().contains("'linux'"));
        assert!("6".parse::<KernelVersion>().is_err());
        assert!(KernelVersion(5, 19) < KernelVersion(6, 1));
    }

    #[test]
    fn memory_is_read_in_bytes() {
        let tree = Tree::new(&[
            ("proc/meminfo", "MemTotal:       1024 kB\nMemAvailable:    512 kB\n"),
            ("proc/sys/vm/overcommit_memory", "1\n"),
        ]);
        let memory = Memory::read(&Roots::under(tree.path()));
        assert_eq!(memory.total, Reading::Known(Bytes(1 << 20)));
        assert_eq!(memory.overcommit, Reading::Known(1));
    }

    #[test]
    fn containers_leave_marks() {
        let check = |file: (&str, &str), mark: Option<&str>| {
            let tree = Tree::new(&[file]);
            assert_eq!(
                Host::read(&Roots::under(tree.path()), &KernelAnswers::unasked("a test"))
                    .container
                    .as_deref(),
                mark
            );
        };
        check((".dockerenv", ""), Some("/.dockerenv exists"));
        check(("run/.containerenv", ""), Some("/run/.containerenv exists"));
        check(("proc/1/cgroup", "0::/kubepods/pod7\n"), Some("the first process is in a cgroup of kubepods"));
        check(("proc/1/cgroup", "0::/init.scope\n"), None);
    }

    #[test]
    fn the_tick_of_this_kernel_is_a_usual_one() {
        let Reading::Known(hz) = tick_hz() else { panic!("the coarse clock is always there") };
        assert!([100, 250, 300, 1000].contains(&hz), "{hz}");
    }
}
