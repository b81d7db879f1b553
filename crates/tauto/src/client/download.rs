//! Saves what a server sends in a new file, however long it is.

use super::{Client, ClientError};
use crate::failure::{because, input, input_with_hint};
use anyhow::Context;
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::Path;
use ureq::http::Request;

impl Client {
    /// Saves an answer in a new file, and returns its length. Nothing is left of one that was cut.
    ///
    /// # Errors
    /// When the file exists or cannot be written, or the server refuses it or cannot be reached.
    pub fn download(&self, path: &str, out: &Path) -> anyhow::Result<u64> {
        if out.exists() {
            return Err(input_with_hint(format!("{} exists", out.display()), "name another file with --out"));
        }
        let url = format!("{}/api/{path}", self.base);
        let mut request = Request::builder().method("GET").uri(&url);
        if let Some(authorization) = &self.authorization {
            request = request.header("Authorization", authorization);
        }
        let request = request.body(()).map_err(|error| input(format!("cannot ask for {url}: {error}")))?;
        // Gigabytes take their time; the server cuts a connection on which nothing moves.
        let request = self.agent.configure_request(request).timeout_global(None).build();
        let unreachable =
            |source| ClientError::Unreachable { server: self.base.clone(), source: Box::new(source) };
        let response = self.agent.run(request).map_err(unreachable)?;
        if response.status().as_u16() >= 400 {
            return self.answer(response).map(|_| 0);
        }
        let failed = || because(format!("cannot write {}", out.display()));
        let mut file = BufWriter::new(File::create_new(out).with_context(failed)?);
        let copied = std::io::copy(&mut response.into_body().into_reader(), &mut file).and_then(|bytes| {
            file.into_inner().map_err(std::io::IntoInnerError::into_error)?;
            Ok(bytes)
        });
        copied.with_context(failed).inspect_err(|_| {
            // The first error is the one to report.
            let _ = fs::remove_file(out);
        })
    }
}
