//! OCI image layouts that tests make, right or wrong, and a registry that serves them.

#![allow(clippy::unwrap_used, clippy::new_without_default, reason = "only tests make layouts")]

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use tar::{Builder, EntryType, Header};

/// A layer that is being made.
pub struct Layer(Builder<Vec<u8>>);

impl Layer {
    pub fn new() -> Self {
        Self(Builder::new(Vec::new()))
    }

    pub fn folder(self, path: &str) -> Self {
        self.entry(EntryType::Directory, path, "", b"", 0o755)
    }

    pub fn file(self, path: &str, content: &str) -> Self {
        self.entry(EntryType::Regular, path, "", content.as_bytes(), 0o644)
    }

    pub fn program(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        self.entry(EntryType::Regular, path, "", content.as_ref(), 0o755)
    }

    pub fn link(self, path: &str, to: &str) -> Self {
        self.entry(EntryType::Symlink, path, to, b"", 0o777)
    }

    pub fn hard_link(self, path: &str, to: &str) -> Self {
        self.entry(EntryType::Link, path, to, b"", 0o644)
    }

    /// Adds an entry as it is: the names are not checked.
    pub fn entry(mut self, kind: EntryType, path: &str, to: &str, content: &[u8], mode: u32) -> Self {
        let mut header = Header::new_ustar();
        header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
        header.as_old_mut().linkname[..to.len()].copy_from_slice(to.as_bytes());
        header.set_entry_type(kind);
        header.set_size(content.len() as u64);
        header.set_mode(mode);
        header.set_mtime(1_000_000_000);
        header.set_cksum();
        self.0.append(&header, content).unwrap();
        self
    }

    /// Adds a record of what has no room in the header of the next entry.
    pub fn extended(self, key: &str, value: &str) -> Self {
        // Its length counts itself (pax(1)).
        let rest = format!(" {key}={value}\n");
        let mut length = rest.len() + 1;
        while length.to_string().len() + rest.len() != length {
            length += 1;
        }
        self.entry(EntryType::XHeader, "extended", "", format!("{length}{rest}").as_bytes(), 0o644)
    }

    pub fn tar(self) -> Vec<u8> {
        self.0.into_inner().unwrap()
    }
}

/// Returns `sha256:` and 64 digits.
pub fn digest(content: &[u8]) -> String {
    let digits: String = Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{digits}")
}

fn hex(digest: &str) -> &str {
    digest.trim_start_matches("sha256:")
}

pub fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// A layout in a folder.
pub struct Layout {
    pub folder: tempfile::TempDir,
    images: Vec<Value>,
}

impl Layout {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("blobs/sha256")).unwrap();
        fs::write(folder.path().join("oci-layout"), r#"{"imageLayoutVersion": "1.0.0"}"#).unwrap();
        Self { folder, images: Vec::new() }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn blob(&self, content: &[u8]) -> String {
        let digest = digest(content);
        fs::write(self.blob_path(&digest), content).unwrap();
        digest
    }

    pub fn blob_path(&self, digest: &str) -> PathBuf {
        self.path().join("blobs/sha256").join(hex(digest))
    }

    /// Adds an image of layers, each as it is stored and without compression.
    pub fn image(self, name: Option<&str>, layers: &[(Vec<u8>, Vec<u8>)]) -> Self {
        let (manifest, config) = self.documents(layers);
        self.image_of(name, &manifest, &config)
    }

    /// Returns a manifest, whose configuration is `null`, and the configuration.
    pub fn documents(&self, layers: &[(Vec<u8>, Vec<u8>)]) -> (Value, Value) {
        let contents: Vec<String> = layers.iter().map(|(_, content)| digest(content)).collect();
        let config = json!({
            "architecture": architecture(), "os": "linux", "rootfs": {"type": "layers", "diff_ids": contents},
        });
        let layers: Vec<Value> = layers
            .iter()
            .map(|(stored, _)| {
                descriptor("application/vnd.oci.image.layer.v1.tar+gzip", &self.blob(stored), stored.len())
            })
            .collect();
        (json!({"schemaVersion": 2, "config": null, "layers": layers}), config)
    }

    pub fn image_of(mut self, name: Option<&str>, manifest: &Value, config: &Value) -> Self {
        let config = config.to_string();
        let digest = self.blob(config.as_bytes());
        let mut manifest = manifest.clone();
        manifest["config"] = descriptor("application/vnd.oci.image.config.v1+json", &digest, config.len());
        let manifest = manifest.to_string();
        let digest = self.blob(manifest.as_bytes());
        let mut image = descriptor("application/vnd.oci.image.manifest.v1+json", &digest, manifest.len());
        if let Some(name) = name {
            image["annotations"] = json!({"org.opencontainers.image.ref.name": name});
        }
        self.images.push(image);
        let index = json!({"schemaVersion": 2, "manifests": self.images});
        fs::write(self.path().join("index.json"), index.to_string()).unwrap();
        self
    }
}

/// The layer as it is stored, compressed, and its content.
pub fn stored(layer: Layer) -> (Vec<u8>, Vec<u8>) {
    let content = layer.tar();
    (gzip(&content), content)
}

pub fn architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}

fn descriptor(media_type: &str, digest: &str, size: usize) -> Value {
    json!({"mediaType": media_type, "digest": digest, "size": size})
}

/// How a registry answers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Answers {
    Right,
    /// To a user `judge` with the password `secret`.
    WithPassword,
    Garbage,
    /// Each blob ends early.
    Half,
    Failure,
    /// Each manifest goes on for ever.
    Endless,
    /// The server of tokens gives one with a control character.
    BadToken,
}

/// Serves a layout's images as a registry does, each under its name as the tag; returns the registry's address.
pub fn serve(layout: &Path, answers: Answers) -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let layout = layout.to_owned();
    std::thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            // A client that goes away is no matter.
            let _ = answer(connection, &layout, answers);
        }
    });
    address
}

/// Serves as a registry that sends everything to another one; returns its address.
pub fn send_to(other: &str) -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let other = other.to_owned();
    std::thread::spawn(move || {
        for mut connection in listener.incoming().flatten() {
            let mut request = [0; 4096];
            let length = connection.read(&mut request).unwrap_or_default();
            let request = String::from_utf8_lossy(&request[..length]).into_owned();
            let path = request.split(' ').nth(1).unwrap_or_default();
            let answer = format!(
                "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://{other}{path}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            );
            // A client that goes away is no matter.
            let _ = connection.write_all(answer.as_bytes());
        }
    });
    address
}

fn answer(mut connection: std::net::TcpStream, layout: &Path, answers: Answers) -> std::io::Result<()> {
    use std::io::{BufRead, BufReader};
    let mut reader = BufReader::new(connection.try_clone()?);
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let mut authorised = false;
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim_end().to_ascii_lowercase();
        // judge:secret
        authorised |= line == "authorization: basic anvkz2u6c2vjcmv0";
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.is_empty() {
            break;
        }
    }
    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
    let method = request.split(' ').next().unwrap_or_default().to_owned();
    let mut headers = String::new();
    let (status, body) = if answers == Answers::WithPassword && !authorised {
        headers = "WWW-Authenticate: Basic realm=\"judge\"\r\n".to_owned();
        ("401 Unauthorized", Vec::new())
    } else if answers == Answers::BadToken && path.starts_with("/token") {
        ("200 OK", b"{\"token\": \"t\\u001b[31m\"}".to_vec())
    } else if answers == Answers::BadToken {
        let realm = connection.local_addr()?;
        headers = format!("WWW-Authenticate: Bearer realm=\"http://{realm}/token\",service=\"s\"\r\n");
        ("401 Unauthorized", Vec::new())
    } else if answers == Answers::Endless && path.contains("/manifests/") {
        write!(connection, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")?;
        loop {
            connection.write_all(&[b' '; 65536])?;
        }
    } else if answers == Answers::Failure {
        ("500 Internal Server Error", b"out of order".to_vec())
    } else if answers == Answers::Garbage && path != "/v2/" {
        ("200 OK", b"<html>Hello</html>".to_vec())
    } else if method == "POST" {
        headers = format!("Location: {path}1?state=2\r\n");
        ("202 Accepted", Vec::new())
    } else if method == "PUT" {
        let mut sent = vec![0; length];
        reader.read_exact(&mut sent)?;
        if take(layout, &path, &sent) { ("201 Created", Vec::new()) } else { ("400 Bad Request", Vec::new()) }
    } else {
        match content(layout, &path) {
            _ if path == "/v2/" => ("200 OK", Vec::new()),
            Some(body) => ("200 OK", body),
            None => (
                "404 Not Found",
                br#"{"errors": [{"code": "MANIFEST_UNKNOWN", "message": "unknown"}]}"#.to_vec(),
            ),
        }
    };
    let sent = if answers == Answers::Half && path.contains("/blobs/") { body.len() / 2 } else { body.len() };
    write!(
        connection,
        "HTTP/1.1 {status}\r\n{headers}Content-Type: application/vnd.oci.image.manifest.v1+json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    if method == "HEAD" { Ok(()) } else { connection.write_all(&body[..sent]) }
}

/// Takes a blob, or a manifest with the name by which it is found, if it is what its digest says; returns whether it is.
fn take(layout: &Path, path: &str, content: &[u8]) -> bool {
    let digest = digest(content);
    let blobs = layout.join("blobs/sha256");
    fs::create_dir_all(&blobs).unwrap();
    fs::write(blobs.join(hex(&digest)), content).unwrap();
    let Some((_, name)) = path.split_once("/manifests/") else {
        return path.contains("state=2") && path.ends_with(&format!("digest={digest}"));
    };
    let mut entry = descriptor("application/vnd.oci.image.manifest.v1+json", &digest, content.len());
    entry["annotations"] = json!({"org.opencontainers.image.ref.name": name});
    fs::write(layout.join("index.json"), json!({"schemaVersion": 2, "manifests": [entry]}).to_string())
        .unwrap();
    true
}

fn content(layout: &Path, path: &str) -> Option<Vec<u8>> {
    let name = path.rsplit('/').next()?;
    let digest = match name.starts_with("sha256:") {
        true => name.to_owned(),
        false => {
            let index: Value = serde_json::from_slice(&fs::read(layout.join("index.json")).ok()?).ok()?;
            let named = |image: &&Value| image["annotations"]["org.opencontainers.image.ref.name"] == name;
            index["manifests"].as_array()?.iter().find(named)?["digest"].as_str()?.to_owned()
        }
    };
    fs::read(layout.join("blobs/sha256").join(hex(&digest))).ok()
}
