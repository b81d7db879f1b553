//! Images that a cluster begins with: made from files, without any other tool.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::control::{Control, NODE_ADDRESS};

/// The registry's port.
const PORT: u16 = 5000;

/// A registry of the machine's own, reached by the node and by pods.
#[derive(Debug)]
pub struct Registry;

impl Registry {
    /// Returns `ADDRESS:PORT`.
    pub fn address() -> String {
        format!("{NODE_ADDRESS}:{PORT}")
    }

    /// Starts it; what it keeps is in a folder of the cluster's.
    pub fn start(control: &mut Control) -> Result<()> {
        let folder = control.folder.join("registry");
        fs::create_dir_all(&folder)?;
        let config = control.folder.join("registry.yaml");
        let text = format!(
            "version: 0.1
log: {{level: warn, accesslog: {{disabled: true}}}}
storage: {{filesystem: {{rootdirectory: {}}}, delete: {{enabled: true}}}}
http: {{addr: '{}', tls: {{certificate: {here}/api.crt, key: {here}/api.key}}}}
",
            folder.display(),
            Self::address(),
            here = control.folder.display()
        );
        fs::write(&config, text)?;
        control.daemons.start("registry", Command::new("docker-registry").arg("serve").arg(config))?;
        control.daemons.wait_until("the registry answers", Duration::from_secs(30), || {
            std::net::TcpStream::connect(Self::address()).is_ok()
        })?;
        Ok(())
    }
}

/// Writes the archive of an image's file system: folders and programs, each with a path in the image.
pub fn archive(to: &Path, folders: &[&str], programs: &[(&str, &Path)]) -> Result<()> {
    let mut archive = tar::Builder::new(fs::File::create(to)?);
    let header = |kind, size, mode| {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(size);
        header.set_mode(mode);
        header.set_mtime(0);
        header
    };
    for folder in folders {
        let mode = if *folder == "tmp" { 0o1777 } else { 0o755 };
        archive.append_data(&mut header(tar::EntryType::Directory, 0, mode), folder, std::io::empty())?;
    }
    for (path, program) in programs {
        let file = fs::File::open(program).with_context(|| format!("cannot read {}", program.display()))?;
        let size = file.metadata()?.len();
        let mode = file.metadata()?.permissions().mode() & 0o777;
        archive.append_data(&mut header(tar::EntryType::Regular, size, mode), path, file)?;
    }
    archive.into_inner()?.flush()?;
    Ok(())
}

/// Writes an OCI layout with one image of one layer, for `ctr images import`, and returns its path.
pub fn layout(folder: &Path, name: &str, layer: &Path, entrypoint: &[&str]) -> Result<PathBuf> {
    super::folder::fresh(folder)?;
    let blobs = folder.join("blobs/sha256");
    fs::create_dir_all(&blobs)?;
    let store = |content: &[u8]| -> Result<(String, usize)> {
        let digest: String = Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect();
        fs::write(blobs.join(&digest), content)?;
        Ok((format!("sha256:{digest}"), content.len()))
    };
    let descriptor = |kind: &str, (digest, size): &(String, usize)| json!({"mediaType": format!("application/vnd.oci.image.{kind}"), "digest": digest, "size": size});
    let layer = store(&fs::read(layer).with_context(|| format!("cannot read {}", layer.display()))?)?;
    let config = json!({
        "architecture": "amd64", "os": "linux", "config": {"Entrypoint": entrypoint},
        "rootfs": {"type": "layers", "diff_ids": [layer.0]},
    });
    let config = store(config.to_string().as_bytes())?;
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": descriptor("config.v1+json", &config),
        "layers": [descriptor("layer.v1.tar", &layer)],
    });
    let mut image = descriptor("manifest.v1+json", &store(manifest.to_string().as_bytes())?);
    image["annotations"] =
        json!({"io.containerd.image.name": name, "org.opencontainers.image.ref.name": name});
    let index: Value = json!({"schemaVersion": 2, "manifests": [image]});
    fs::write(folder.join("index.json"), index.to_string())?;
    fs::write(folder.join("oci-layout"), r#"{"imageLayoutVersion": "1.0.0"}"#)?;
    let to = folder.with_extension("oci.tar");
    let mut archive = tar::Builder::new(fs::File::create(&to)?);
    archive.append_dir_all(".", folder)?;
    archive.into_inner()?.flush()?;
    Ok(to)
}
