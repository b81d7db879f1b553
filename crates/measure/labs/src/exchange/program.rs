//! The MPI program: compiled where it runs, with the compiler of the MPI that runs it.

use super::ExchangeError;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

const SOURCE: &str = include_str!("exchange.c");
/// The beginning of a compiler's output is what matters.
const COMPLAINT_CHARS_MAX: usize = 600;

/// The commands of an installed Open MPI, and their environment.
#[derive(Clone, Debug)]
pub struct Mpi {
    compiler: PathBuf,
    pub(super) launcher: PathBuf,
    pub(super) environment: Vec<(OsString, OsString)>,
}

/// The program, compiled into a folder of its own that is removed with it.
#[derive(Debug)]
pub struct Program {
    pub(super) mpi: Mpi,
    pub(super) folder: TempDir,
}

impl Mpi {
    /// Searches these folders for the commands. They get this environment without variables that would change how Open
    /// MPI works or make it believe that it is part of another program.
    pub fn find(
        folders: &[PathBuf],
        environment: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Result<Self, ExchangeError> {
        let find = |names: [&'static str; 2]| {
            let paths = names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
            paths.into_iter().find(|path| path.is_file()).ok_or(ExchangeError::Missing(names[1]))
        };
        let is_foreign = |name: &OsString| {
            let name = name.to_string_lossy();
            ["OMPI_", "PMIX_", "PMI_", "PRTE_", "SLURM_"].iter().any(|prefix| name.starts_with(prefix))
        };
        let mpi = Self {
            // Debian can install several MPIs, one of which has the plain names.
            compiler: find(["mpicc.openmpi", "mpicc"])?,
            launcher: find(["mpirun.openmpi", "mpirun"])?,
            environment: environment.into_iter().filter(|(name, _)| !is_foreign(name)).collect(),
        };
        let version = mpi.command(&mpi.launcher).arg("--version").output();
        let version = version.map_err(|source| ExchangeError::Start { what: "mpirun", source })?;
        let version = String::from_utf8_lossy(&version.stdout).into_owned();
        if !version.contains("Open MPI") && !version.contains("OpenRTE") {
            let first = version.lines().next().unwrap_or("it does not say its version").to_owned();
            return Err(ExchangeError::Failed(format!("it is not Open MPI's but another one: {first}")));
        }
        Ok(mpi)
    }

    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(self.environment.iter().cloned()).stdin(Stdio::null());
        command
    }
}

impl Program {
    /// Compiles it, which takes a third of a second of CPU time: less than checking whether an older one is still
    /// valid.
    pub fn compile(mpi: Mpi) -> Result<Self, ExchangeError> {
        let failed = |path: PathBuf| move |source| ExchangeError::File { path, source };
        let folder = tempfile::Builder::new()
            .prefix("tauto-exchange-")
            .tempdir()
            .map_err(failed(std::env::temp_dir()))?;
        let source = folder.path().join("exchange.c");
        std::fs::write(&source, SOURCE).map_err(failed(source.clone()))?;
        let made = mpi
            .command(&mpi.compiler)
            .args(["-O2", "-std=gnu11", "-o"])
            .args([&folder.path().join("exchange"), &source])
            .output()
            .map_err(|source| ExchangeError::Start { what: "mpicc", source })?;
        if !made.status.success() {
            let stated = String::from_utf8_lossy(&made.stderr);
            return Err(ExchangeError::Compile(stated.trim().chars().take(COMPLAINT_CHARS_MAX).collect()));
        }
        Ok(Self { mpi, folder })
    }

    pub(super) fn path(&self) -> PathBuf {
        self.folder.path().join("exchange")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn fake(folder: &Path, name: &str, script: &str) {
        std::fs::write(folder.join(name), format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(folder.join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn what_is_missing_or_foreign_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let find = || {
            Mpi::find(&[folder.path().to_owned()], Vec::new()).map(drop).map_err(|error| error.to_string())
        };
        assert_eq!(find(), Err("mpicc is not installed here".to_owned()));
        fake(folder.path(), "mpicc", "exit 1");
        assert_eq!(find(), Err("mpirun is not installed here".to_owned()));
        fake(folder.path(), "mpirun", "echo HYDRA build details:");
        assert_eq!(
            find(),
            Err("mpirun failed: it is not Open MPI's but another one: HYDRA build details:".to_owned())
        );
        fake(folder.path(), "mpirun.openmpi", "echo 'mpirun (Open MPI) 4.1.4'");
        assert_eq!(find(), Ok(()));
    }

    #[test]
    fn what_steers_another_mpi_is_not_inherited() {
        let folder = tempfile::tempdir().unwrap();
        fake(folder.path(), "mpicc", "echo \"left: $OMPI_MCA_btl $SLURM_JOB_ID $KEPT\" >&2; exit 1");
        fake(folder.path(), "mpirun", "echo 'mpirun (Open MPI) 5.0'");
        let environment = [("OMPI_MCA_btl", "tcp"), ("SLURM_JOB_ID", "7"), ("KEPT", "kept")]
            .map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let mpi = Mpi::find(&[folder.path().to_owned()], environment).unwrap();
        let error = Program::compile(mpi).unwrap_err();
        assert_eq!(error.to_string(), "mpicc cannot compile the benchmark: left:   kept");
    }
}
