//! What is in an image: its distribution and its packages, as the package manager has noted them.
//!
//! Three fields of two simple formats: deb-control(5) of dpkg's `status`, and apk's list of installed packages.

use crate::limits::Limits;
use crate::tree::Tree;
use std::io;
use std::path::Path;

const FILE_BYTES_MAX: u64 = 256 << 20;
const DPKG: &str = "var/lib/dpkg/status";
const APK: &str = "lib/apk/db/installed";

/// What is in an image.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// `ID` of os-release(5), such as `debian`; empty if it does not say.
    pub distribution: String,
    /// `VERSION_ID`, such as `12`.
    pub version: String,
    /// By name.
    pub packages: Vec<Package>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Package {
    pub name: String,
    pub version: String,
    pub architecture: String,
    /// Type of a package URL: `deb` or `apk`.
    pub kind: &'static str,
}

impl Package {
    /// Returns its package URL (github.com/package-url/purl-spec).
    pub fn url(&self, distribution: &str) -> String {
        let Self { name, version, architecture, kind } = self;
        let escaped = |text: &str| {
            text.bytes()
                .map(|byte| match byte {
                    byte if byte.is_ascii_alphanumeric() || b".-_~:".contains(&byte) => {
                        char::from(byte).to_string()
                    }
                    byte => format!("%{byte:02X}"),
                })
                .collect::<String>()
        };
        format!(
            "pkg:{kind}/{}/{}@{}?arch={}",
            escaped(distribution),
            escaped(name),
            escaped(version),
            escaped(architecture)
        )
    }
}

impl Contents {
    /// Reads what a root says of itself; what it does not say is empty.
    pub fn of(root: &Path) -> io::Result<Self> {
        let root = Tree::open(root, Limits::default())?;
        let read = |path| root.read(Path::new(path), FILE_BYTES_MAX);
        let release = read("etc/os-release")?.or(read("usr/lib/os-release")?).unwrap_or_default();
        let release_field = |name: &str| {
            let value = release.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
            value.unwrap_or_default().trim_matches('"').to_owned()
        };
        let mut packages = Vec::new();
        if let Some(status) = read(DPKG)? {
            packages.extend(
                paragraphs(&status)
                    .filter(|fields| is_installed(fields))
                    .filter_map(|fields| package(&fields, ["Package", "Version", "Architecture"], "deb")),
            );
        }
        if let Some(installed) = read(APK)? {
            packages
                .extend(paragraphs(&installed).filter_map(|fields| package(&fields, ["P", "V", "A"], "apk")));
        }
        packages.sort();
        Ok(Self { distribution: release_field("ID"), version: release_field("VERSION_ID"), packages })
    }
}

type Fields<'a> = Vec<(&'a str, &'a str)>;

fn paragraphs(text: &str) -> impl Iterator<Item = Fields<'_>> {
    text.split("\n\n").map(|paragraph| {
        // Lines that go on with a field begin with a space.
        let fields =
            paragraph.lines().filter(|line| !line.starts_with(' ')).filter_map(|line| line.split_once(':'));
        fields.map(|(name, value)| (name, value.trim())).collect()
    })
}

fn field<'a>(fields: &Fields<'a>, name: &str) -> Option<&'a str> {
    fields.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

fn is_installed(fields: &Fields<'_>) -> bool {
    field(fields, "Status").is_some_and(|status| status.ends_with(" installed"))
}

fn package(fields: &Fields<'_>, names: [&str; 3], kind: &'static str) -> Option<Package> {
    let [name, version, architecture] = names.map(|name| field(fields, name).map(str::to_owned));
    Some(Package { name: name?, version: version?, architecture: architecture?, kind })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, content) in files {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content).unwrap();
        }
        root
    }

    #[test]
    fn installed_packages_of_debian_are_read() {
        let status = "Package: g++\nStatus: install ok installed\nVersion: 4:12.2.0-3\nArchitecture: amd64\n\
                      Description: GNU C++\n more: of it\n\nPackage: gone\nStatus: deinstall ok config-files\n\
                      Version: 1\nArchitecture: all\n";
        let root = root(&[(DPKG, status), ("usr/lib/os-release", "ID=debian\nVERSION_ID=\"12\"\n")]);
        let contents = Contents::of(root.path()).unwrap();
        assert_eq!((contents.distribution.as_str(), contents.version.as_str()), ("debian", "12"));
        assert_eq!(contents.packages.len(), 1);
        assert_eq!(contents.packages[0].url("debian"), "pkg:deb/debian/g%2B%2B@4:12.2.0-3?arch=amd64");
    }

    #[test]
    fn packages_of_alpine_are_read_and_what_says_nothing_is_empty() {
        let installed = "P:gcc\nV:13.2.1-r0\nA:x86_64\nF:usr/bin\n\nP:musl\nV:1.2.5-r0\nA:x86_64\n";
        let contents = Contents::of(root(&[(APK, installed)]).path()).unwrap();
        assert_eq!(
            contents.packages.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(),
            ["gcc", "musl"]
        );
        assert_eq!(Contents::of(root(&[]).path()).unwrap(), Contents::default());
        assert_eq!(Contents::of(root(&[(DPKG, "no fields\n\n: \n")]).path()).unwrap(), Contents::default());
    }

    #[test]
    fn links_lead_to_files_of_the_image() {
        let root = root(&[("etc/x", "")]);
        std::os::unix::fs::symlink("/proc/self/cmdline", root.path().join("etc/os-release")).unwrap();
        assert_eq!(Contents::of(root.path()).unwrap(), Contents::default());
    }
}
