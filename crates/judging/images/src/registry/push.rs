//! Sending an image to a registry, a blob in one piece each (OCI distribution specification 1.1, "Pushing a blob monolithically").

use super::{Remote, with};
use crate::error::PartError;
use crate::source::{Blob, Chosen};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::Duration;
use ureq::SendBody;
use ureq::http::Response;

/// How long what is sent may take, beyond the time of its bytes.
const SEND_MAX: Duration = Duration::from_secs(60);
/// A registry that takes them more slowly is given up.
const BYTES_PER_SECOND_MIN: u64 = 128 << 10;

impl Remote {
    /// Allows it to be sent to, which some registries grant to fewer people.
    pub(crate) fn for_pushing(self) -> Self {
        Self { actions: "pull,push", ..self }
    }

    /// Sends a blob unless the registry has it; returns whether it was sent.
    pub(crate) fn put_blob(
        &self,
        blob: &Blob,
        file: &Path,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<bool, PartError> {
        let there = self.asked(|authorization| {
            with(authorization, self.agent.head(self.url(&format!("blobs/{}", blob.digest)))).call()
        })?;
        if there.status() == 200 {
            return Ok(false);
        }
        let begun = self.asked(|authorization| {
            with(authorization, self.agent.post(self.url("blobs/uploads/"))).send_empty()
        })?;
        self.expect(202, &begun)?;
        let to = self.location(&begun)?;
        let separator = if to.contains('?') { '&' } else { '?' };
        let to = format!("{to}{separator}digest={}", blob.digest);
        let sent = self.asked(|authorization| {
            let mut body = Stoppable { file: File::open(file)?, is_stopped };
            // Another host gets no password.
            let authorization = authorization.filter(|_| self.is_own(&to));
            let most = Duration::from_secs(SEND_MAX.as_secs() + blob.size / BYTES_PER_SECOND_MIN);
            let request = self.agent.put(&to).config().timeout_global(Some(most)).build();
            let request = with(authorization, request);
            let request = request.header("content-type", "application/octet-stream");
            request.header("content-length", blob.size).send(SendBody::from_reader(&mut body))
        });
        if is_stopped() {
            return Err(PartError::Stopped);
        }
        self.expect(201, &sent?)?;
        Ok(true)
    }

    /// Sends the manifest, after which the image is there.
    pub(crate) fn put_manifest(&self, image: &Chosen) -> Result<(), PartError> {
        let digest = image.digest.to_string();
        let name = self.reference.tag().unwrap_or(&digest);
        let answer = self.asked(|authorization| {
            let request = with(authorization, self.agent.put(self.url(&format!("manifests/{name}"))));
            request.header("content-type", &image.media_type).send(&image.manifest)
        })?;
        self.expect(201, &answer)
    }

    /// Returns the name by which others get exactly this image.
    pub(crate) fn exact_name(&self, image: &Chosen) -> String {
        format!("{}/{}@{}", self.reference.registry(), self.reference.repository(), image.digest)
    }

    /// Returns where the registry wants to have what is sent.
    fn location(&self, answer: &Response<ureq::Body>) -> Result<String, PartError> {
        let location = answer.headers().get("location").and_then(|value| value.to_str().ok());
        let location = location.unwrap_or_default();
        if location.starts_with('/') {
            return Ok(format!("{}{location}", self.origin()));
        }
        if self.is_own(location) || location.starts_with("https://") {
            return Ok(location.to_owned());
        }
        Err(self.wrong("it names no place to send to"))
    }

    fn expect(&self, status: u16, answer: &Response<ureq::Body>) -> Result<(), PartError> {
        match answer.status().as_u16() {
            found if found == status => Ok(()),
            404 | 405 => Err(self.wrong("it takes no images of this name")),
            found => Err(self.wrong(&format!("it answers {found} to what is sent"))),
        }
    }
}

/// A file that is read until it is to stop.
struct Stoppable<'a> {
    file: File,
    is_stopped: &'a dyn Fn() -> bool,
}

impl Read for Stoppable<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if (self.is_stopped)() { Err(io::Error::other("stopped")) } else { self.file.read(buffer) }
    }
}
