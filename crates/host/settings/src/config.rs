//! The kernel's build configuration.

use flate2::read::GzDecoder;
use model::Reading;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use system::{Roots, files};

/// A configuration has some 300 KiB; a much larger file is not one.
const CONFIG_BYTES_MAX: u64 = 4 << 20;

/// Reads it from the kernel itself, otherwise from where distributions store it.
pub(super) fn read(roots: &Roots) -> Reading<String> {
    if let Ok(text) = unpacked(&roots.proc.join("config.gz")) {
        return Reading::Known(text);
    }
    let Reading::Known(release) = files::text(&roots.proc.join("sys/kernel/osrelease")) else {
        return Reading::unavailable("neither /proc/config.gz nor the kernel's release can be read");
    };
    for place in [format!("/boot/config-{release}"), format!("/lib/modules/{release}/config")] {
        if let Reading::Known(text) = files::text(&roots.resolve(Path::new(&place))) {
            return Reading::Known(text);
        }
    }
    Reading::unavailable(format!(
        "there is neither /proc/config.gz nor /boot/config-{release}, so how the kernel was built is not known"
    ))
}

/// Returns those of these options that are set in the running kernel's configuration.
pub fn kernel_options(roots: &Roots, names: &[&str]) -> Reading<BTreeMap<String, String>> {
    read(roots).map(|config| {
        let set =
            names.iter().filter_map(|name| Some(((*name).to_owned(), option(&config, name)?.to_owned())));
        set.collect()
    })
}

fn unpacked(path: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    GzDecoder::new(File::open(path)?).take(CONFIG_BYTES_MAX).read_to_string(&mut text)?;
    Ok(text)
}

/// Returns the value of an option such as `CONFIG_HZ`; `None` if it is not set.
pub(super) fn option<'t>(config: &'t str, name: &str) -> Option<&'t str> {
    config.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='))
}

#[cfg(test)]
mod tests {
    use super::*;
    use test_tree::Tree;

    #[test]
    fn the_distributions_file_is_found_by_the_release() {
        let tree = Tree::new(&[
            ("proc/sys/kernel/osrelease", "6.1.0\n"),
            ("boot/config-6.1.0", "# CONFIG_NO_HZ_FULL is not set\nCONFIG_HZ=250\nCONFIG_HZ_250=y\n"),
        ]);
        let Reading::Known(config) = read(&Roots::under(tree.path())) else { panic!("the file is there") };
        assert_eq!(option(&config, "CONFIG_HZ"), Some("250"));
        assert_eq!(option(&config, "CONFIG_NO_HZ_FULL"), None);
        let Reading::Known(set) =
            kernel_options(&Roots::under(tree.path()), &["CONFIG_HZ", "CONFIG_NO_HZ_FULL"])
        else {
            panic!("the file is there")
        };
        assert_eq!(set.into_iter().collect::<Vec<_>>(), [("CONFIG_HZ".to_owned(), "250".to_owned())]);
        tree.remove("boot/config-6.1.0");
        assert!(read(&Roots::under(tree.path())).to_string().contains("neither /proc/config.gz"));
    }
}
