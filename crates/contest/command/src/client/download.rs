//! Saves what a server sends in a new file, however long it is.

use super::Client;
use anyhow::Context;
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::Path;
use terminal::failure::{cannot, input_with_hint};

impl Client {
    /// Saves an answer in a new file, and returns its length. Nothing is left of one that was cut.
    pub fn download(&self, path: &str, out: &Path) -> anyhow::Result<u64> {
        if out.exists() {
            return Err(input_with_hint(format!("{} exists", out.display()), "name another file with --out"));
        }
        // Gigabytes take their time; the server cuts a connection on which nothing moves.
        let mut body = self.stream(&self.url(path))?;
        let failed = || cannot("write", out);
        let mut file = BufWriter::new(File::create_new(out).with_context(failed)?);
        let copied = std::io::copy(&mut body, &mut file).and_then(|bytes| {
            file.into_inner().map_err(std::io::IntoInnerError::into_error)?;
            Ok(bytes)
        });
        copied.with_context(failed).inspect_err(|_| {
            // The first error is the one to report.
            let _ = fs::remove_file(out);
        })
    }
}
