//! A server whose clock is set: a library that is loaded before the C library adds what a file says.

use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

const SOURCE: &str = r#"
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *time) {
    long result = syscall(SYS_clock_gettime, clock, time);
    const char *path = getenv("CLOCK_STEP");
    if (result == 0 && clock == CLOCK_REALTIME && path) {
        char text[32] = {0};
        int file = open(path, O_RDONLY | O_CLOEXEC);
        if (file >= 0) {
            if (read(file, text, sizeof text - 1) > 0) {
                long long step = atoll(text);
                long long total = time->tv_sec * 1000000000LL + time->tv_nsec + step * 1000000LL;
                time->tv_sec = total / 1000000000LL;
                time->tv_nsec = total % 1000000000LL;
            }
            close(file);
        }
    }
    return (int)result;
}
"#;

/// A clock that can be set, built once for each contest.
pub struct SteppedClock {
    folder: TempDir,
}

impl SteppedClock {
    pub fn build() -> Result<Self, String> {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("clock.c");
        std::fs::write(&source, SOURCE).unwrap();
        let output = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .arg(folder.path().join("clock.so"))
            .arg(source)
            .output()
            .map_err(|error| format!("there is no C compiler: {error}"))?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        Ok(Self { folder })
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("step")
    }

    /// Returns what to set in the server's environment.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        let text = |path: &Path| path.display().to_string();
        vec![("LD_PRELOAD", text(&self.folder.path().join("clock.so"))), ("CLOCK_STEP", text(&self.file()))]
    }

    /// Sets the clock to the machine's time and this many milliseconds.
    pub fn set(&self, step_ms: i64) {
        // Renamed, so that no process reads half a number.
        let new = self.folder.path().join("new");
        std::fs::write(&new, step_ms.to_string()).unwrap();
        std::fs::rename(new, self.file()).unwrap();
    }
}
