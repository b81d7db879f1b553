//! Building by kaniko's executor, which expects to be alone in a container that becomes the image.

use super::job::{Built, Job, absolute, alone, clear, go_through};
use anyhow::Context;
use std::fs;
use std::path::Path;
use terminal::failure::{input, input_with_hint};

/// Where it is in its own image.
pub const USUAL: &str = "/kaniko/executor";
/// The folder that becomes its root.
const ROOT: &str = "kaniko";
/// Makes the container: mounts that go with it, and devices without state (null(4), full(4), random(4)). What is mounted does not become
/// part of the image.
const SCRIPT: &str = r#"
root=$1 kaniko=$2 context=$3 file=$4 stage=$5 secret=$6; shift 6
mkdir -p "$root/dev" "$root/proc" "$root/etc" "$root/tmp" "$root/workspace" "$root/kaniko/.docker" "$root/kaniko/stage" "$root/kaniko/ssl/certs"
mount -t tmpfs -o mode=755 dev "$root/dev"
for device in null:3 zero:5 full:7 random:8 urandom:9; do mknod -m 666 "$root/dev/${device%:*}" c 1 "${device#*:}"; done
mount -t proc proc "$root/proc"
show() { mount --bind "$1" "$root/$2"; mount -o remount,ro,bind "$root/$2"; }
touch "$root/kaniko/executor" "$root/kaniko/Dockerfile" "$root/etc/resolv.conf" "$root/etc/hosts"
show "$kaniko" kaniko/executor
show "$file" kaniko/Dockerfile
show "$context" workspace
show /etc/resolv.conf etc/resolv.conf
show /etc/hosts etc/hosts
if [ -d /etc/ssl/certs ]; then show /etc/ssl/certs kaniko/ssl/certs; fi
if [ -n "$secret" ]; then touch "$root/kaniko/.docker/config.json"; show "$secret" kaniko/.docker/config.json; fi
mount --bind "$stage" "$root/kaniko/stage"
# Enough for installing packages, and not for the machine's devices, mounts and kernel.
rights=-all,+chown,+dac_override,+fowner,+fsetid,+kill,+setfcap,+setgid,+setuid,+sys_chroot,+net_bind_service
exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root SSL_CERT_DIR=/kaniko/ssl/certs \
    DOCKER_CONFIG=/kaniko/.docker setpriv --bounding-set "$rights" chroot "$root" /kaniko/executor "$@"
"#;

pub fn build(job: &Job<'_>, kaniko: &Path) -> anyhow::Result<Built> {
    if job.epoch != 0 {
        return Err(input(
            "SOURCE_DATE_EPOCH: kaniko gives all files the time 0; unset it, or add --engine buildah",
        ));
    }
    if let Some((base, _)) = job.bases.iter().find(|(name, _)| job.named.contains(name.as_str())) {
        return Err(input_with_hint(
            format!("kaniko takes bases from registries alone, and {base} is in the store"),
            "add --engine buildah; or 'tauto image push' it to a registry, and name it so after FROM",
        ));
    }
    let root = job.cache.join(ROOT);
    clear(&root)?;
    for folder in [&root, job.stage] {
        fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    }
    let mut build = alone();
    build.arg("--");
    build.args(["sh", "-euc", SCRIPT, "sh"]).arg(&root).arg(kaniko);
    build.arg(absolute(&job.arguments.context)?).arg(absolute(job.file)?).arg(job.stage);
    match &job.arguments.secret {
        Some(secret) => build.arg(absolute(secret)?),
        None => build.arg(""),
    };
    build.args([
        "--force",
        "--reproducible",
        "--no-push",
        "--oci-layout-path",
        "/kaniko/stage",
        "--log-format",
        "text",
    ]);
    build.args(["--context", "dir:///workspace", "--dockerfile", "/kaniko/Dockerfile"]);
    for argument in &job.arguments.build_arguments {
        build.args(["--build-arg", argument]);
    }
    let built = go_through(&mut build, job.interrupt);
    clear(&root)?;
    built.map(|()| Built::Staged { note: None })
}
