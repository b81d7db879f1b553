//! The guest's kernel and its modules, as Debian's packages `linux-image-*-cloud-amd64` have them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What the guest uses of its kernel: the bus, the disk, the port, and the file system of the disk.
const MODULES: [&str; 4] = ["virtio_pci", "virtio_blk", "virtio_console", "squashfs"];
/// What names a module's needs in its file (`modinfo -F depends`).
const DEPENDS: &[u8] = b"\0depends=";

/// A kernel with the modules that a guest loads, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuestKernel {
    /// As `uname -r` names it.
    pub version: String,
    pub image: PathBuf,
    pub modules: Vec<PathBuf>,
}

impl GuestKernel {
    /// Finds the newest kernel below one of the folders, the first that has any: a machine's root, or where a package was unpacked.
    ///
    /// # Errors
    /// With why there is none that can be used.
    pub fn find(folders: &[&Path]) -> Result<Self, String> {
        for folder in folders {
            let mut versions = versions(folder);
            versions.sort_by_key(|version| numbers(version));
            if let Some(version) = versions.pop() {
                return Self::at(folder, version);
            }
        }
        let folders: Vec<_> = folders.iter().map(|folder| folder.display().to_string()).collect();
        Err(format!("there is no kernel for it (boot/vmlinuz-*-cloud-amd64) in {}", folders.join(" or ")))
    }

    fn at(folder: &Path, version: String) -> Result<Self, String> {
        let image = folder.join(format!("boot/vmlinuz-{version}"));
        let above = ["lib/modules", "usr/lib/modules"].map(|above| folder.join(above).join(&version));
        let above = above.into_iter().find(|above| above.is_dir()).ok_or_else(|| {
            format!("the kernel {} has no modules (lib/modules/{version}) next to it", image.display())
        })?;
        let mut modules = Vec::new();
        let mut seen = BTreeSet::new();
        for name in MODULES {
            add(&above, name, &mut seen, &mut modules)?;
        }
        Ok(Self { version, image, modules })
    }
}

fn versions(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder.join("boot")) else { return Vec::new() };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let cloud = names.filter(|name| name.ends_with("-cloud-amd64"));
    cloud.filter_map(|name| name.strip_prefix("vmlinuz-").map(str::to_owned)).collect()
}

/// Returns the numbers of a version, by which they are compared.
fn numbers(version: &str) -> Vec<u64> {
    version.split(|letter: char| !letter.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
}

/// Adds a module after those that it needs.
fn add(
    folder: &Path,
    name: &str,
    seen: &mut BTreeSet<String>,
    modules: &mut Vec<PathBuf>,
) -> Result<(), String> {
    if !seen.insert(name.to_owned()) {
        return Ok(());
    }
    let Some(path) = find(folder, name) else {
        // Some kernels have it in their image.
        return match is_built_in(folder, name) {
            true => Ok(()),
            false => Err(format!("the kernel in {} has no module {name}", folder.display())),
        };
    };
    let content = fs::read(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    for needed in needs(&content) {
        add(folder, &needed, seen, modules)?;
    }
    modules.push(path);
    Ok(())
}

fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let is_it = |path: &Path| {
        let stem = path.file_name().and_then(|name| name.to_str())?.strip_suffix(".ko")?;
        (stem.replace('-', "_") == name).then_some(())
    };
    let files = walkdir::WalkDir::new(folder.join("kernel")).into_iter().flatten();
    files.map(walkdir::DirEntry::into_path).find(|path| is_it(path).is_some())
}

fn is_built_in(folder: &Path, name: &str) -> bool {
    let list = fs::read_to_string(folder.join("modules.builtin")).unwrap_or_default();
    list.lines().any(|line| line.ends_with(&format!("/{name}.ko")))
}

/// Returns the modules that a module needs, as it says itself.
fn needs(module: &[u8]) -> Vec<String> {
    let Some(at) = module.windows(DEPENDS.len()).position(|window| window == DEPENDS) else {
        return Vec::new();
    };
    let list = module[at + DEPENDS.len()..].split(|byte| *byte == 0).next().unwrap_or_default();
    let names = list.split(|byte| *byte == b',').filter(|name| !name.is_empty());
    names.map(|name| String::from_utf8_lossy(name).replace('-', "_")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, name: &str, content: &[u8]) {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    #[test]
    fn the_newest_kernel_is_found_with_its_modules_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for version in ["6.1.0-9-cloud-amd64", "6.1.0-56-cloud-amd64", "6.1.0-99-amd64"] {
            write(root, &format!("boot/vmlinuz-{version}"), b"");
        }
        let modules = "lib/modules/6.1.0-56-cloud-amd64";
        let module = |name: &str, needs: &str| {
            write(root, &format!("{modules}/kernel/{name}.ko"), format!("x\0depends={needs}\0y").as_bytes());
        };
        module("virtio/virtio_pci", "virtio,virtio_ring");
        module("virtio/virtio", "virtio_ring");
        module("virtio/virtio_ring", "");
        module("char/virtio-console", "virtio");
        module("fs/squashfs", "");
        let missing = GuestKernel::find(&[Path::new("/nowhere"), root]).unwrap_err();
        assert!(missing.ends_with("has no module virtio_blk"), "{missing}");
        write(root, &format!("{modules}/modules.builtin"), b"kernel/drivers/block/virtio_blk.ko\n");
        let kernel = GuestKernel::find(&[Path::new("/nowhere"), root]).unwrap();
        assert_eq!(kernel.version, "6.1.0-56-cloud-amd64");
        let names: Vec<_> =
            kernel.modules.iter().map(|path| path.file_stem().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["virtio_ring", "virtio", "virtio_pci", "virtio-console", "squashfs"]);
    }

    #[test]
    fn a_missing_kernel_is_said_with_where_it_was_looked_for() {
        let folder = tempfile::tempdir().unwrap();
        let why = GuestKernel::find(&[Path::new("/nowhere"), folder.path()]).unwrap_err();
        assert!(why.contains("in /nowhere or /tmp"), "{why}");
        write(folder.path(), "boot/vmlinuz-6.1.0-9-cloud-amd64", b"");
        let why = GuestKernel::find(&[folder.path()]).unwrap_err();
        assert!(why.contains("has no modules (lib/modules/6.1.0-9-cloud-amd64)"), "{why}");
    }
}
