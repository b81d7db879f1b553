//! Profiles in files.

use crate::arguments::TraceArguments;
use anyhow::Context;
use model::CpuId;
use noise::format::ForeignHints;
use noise::{Profile, TickRate};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use terminal::failure::{because, input};

/// An hour of a noisy machine packs to less.
const FILE_BYTES_MAX: u64 = 1 << 30;
/// The kernel's limit on this architecture; a larger number is no CPU.
const CPUS_MAX: u32 = 8192;

/// Reads a profile, or a trace of another program.
pub fn read(path: &Path) -> anyhow::Result<Profile> {
    read_as(path, &TraceArguments::default())
}

/// Reads a profile, or a trace of another program of which something is known.
pub fn read_as(path: &Path, trace: &TraceArguments) -> anyhow::Result<Profile> {
    let failed = || because(format!("cannot read {}", path.display()));
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes))
        .with_context(failed)?;
    let hints = ForeignHints {
        format: trace.format.map(Into::into),
        cpu: cpu_of(path).unwrap_or(CpuId(0)),
        clock: trace.clock.unwrap_or(TickRate(1e9)),
    };
    noise::format::decode_any(&bytes, hints).map_err(|error| input(format!("{}: {error}", path.display())))
}

/// Returns the CPU that programs with a file for each have in its name: `raw.3`, `ftq_3.dat`, `fwq_3_times.dat`.
fn cpu_of(path: &Path) -> Option<CpuId> {
    let name = path.file_name()?.to_str()?;
    let number = match name.strip_suffix(".dat") {
        Some(stem) => stem.strip_suffix("_times").unwrap_or(stem).rsplit_once('_')?.1,
        None => name.rsplit_once('.')?.1,
    };
    number.parse().ok().filter(|cpu| *cpu < CPUS_MAX).map(CpuId)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn files_of_one_cpu_have_its_number_in_their_names() {
        let check = |name, cpu: Option<u32>| assert_eq!(cpu_of(Path::new(name)), cpu.map(CpuId), "{name}");
        check("out/raw.3", Some(3));
        check("ftq_0.dat", Some(0));
        check("fwq_12_times.dat", Some(12));
        check("trace.txt", None);
        check("noise.20260101", None);
        check("trace", None);
    }

    #[test]
    fn what_is_no_profile_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.noise");
        fs::write(&path, "cpu,what\n").unwrap();
        let error = read(&path).unwrap_err();
        assert!(error.to_string().contains("a.noise: this is not a .noise file"), "{error:#}");
        assert!(read(&folder.path().join("none")).is_err());
    }
}
