//! What is in an image, as a table, as an SBOM, and as a file that a build is compared with.

use super::entries::existing;
use crate::arguments::ShowArguments;
use crate::languages::{ask_by, entries_of, languages};
use documents::{ImageContents, ImageLanguage, ImagePackage};
use images::{Contents, InUse};
use sandbox::{RootView, Slot, SlotOptions};
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use terminal::failure::because;
use terminal::{Align, AtomicFile, Cell, Progress, Report, Table, print_result};

pub fn show(arguments: &ShowArguments, json: bool) -> anyhow::Result<ExitCode> {
    let image = existing(&arguments.named.store.folder())?.open_image(&arguments.named.image)?;
    if let Some(path) = &arguments.sbom {
        AtomicFile::write_whole(path, sbom(&arguments.named.image, &image)?.as_bytes())?;
    }
    let document = contents(&image)?;
    print_result(&document, json, |document| {
        let mut report = Report::default();
        report.facts(vec![
            ("image", arguments.named.image.clone()),
            ("digest", document.digest.clone()),
            ("distribution", document.distribution.clone().unwrap_or_else(|| "not named".to_owned())),
        ]);
        let version = |one: &ImageLanguage| one.version.clone().unwrap_or_else(|| "unknown".to_owned());
        let rows = document.languages.iter().map(|one| [one.id.clone(), version(one)]);
        report.table("", left(&["language", "version"], rows));
        let rows = document
            .packages
            .iter()
            .map(|one| [one.name.clone(), one.version.clone(), one.architecture.clone()]);
        report.table("", left(&["package", "version", "architecture"], rows));
        report
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Makes a table of texts.
fn left<const N: usize>(header: &[&str; N], rows: impl Iterator<Item = [String; N]>) -> Table {
    let mut table = Table::new(&header.map(|name| (name, Align::Left)));
    rows.for_each(|row| table.row(row.map(Cell::from)));
    table
}

/// Reads what an image has, and asks its compilers for their versions.
fn contents(image: &InUse) -> anyhow::Result<ImageContents> {
    // This must happen while the process has one thread.
    sandbox::enter_private_mounts()?;
    let root = RootView::Tree(image.root.clone());
    let slot = Mutex::new(Slot::open(SlotOptions::new(root.clone()))?);
    let progress = Progress::on_stderr(true);
    progress.say("asking compilers and interpreters for their versions");
    let ask = |argv: &[String]| {
        ask_by(argv, |plan, io| slot.lock().unwrap_or_else(PoisonError::into_inner).run(&plan, io))
    };
    let entries = entries_of(&languages(None)?, &|path| root.has(path), &ask);
    drop(progress);
    let languages = entries.into_iter().filter(|entry| entry.installed);
    let read = read(image)?;
    let package = |one: &images::Package| ImagePackage {
        name: one.name.clone(),
        version: one.version.clone(),
        architecture: one.architecture.clone(),
    };
    Ok(ImageContents {
        digest: image.image.digest.to_string(),
        distribution: Some(format!("{} {}", read.distribution, read.version).trim().to_owned())
            .filter(|distribution| !distribution.is_empty()),
        languages: languages.map(|entry| ImageLanguage { id: entry.id, version: entry.version }).collect(),
        packages: read.packages.iter().map(package).collect(),
    })
}

fn read(image: &InUse) -> anyhow::Result<Contents> {
    use anyhow::Context;
    Contents::of(&image.root).with_context(|| format!("cannot read what is in {}", image.root.display()))
}

/// Compares an image with what a file says was in it, or writes the file; returns what differs.
pub fn lock(path: &Path, image: &InUse) -> anyhow::Result<Vec<String>> {
    let now = contents(image)?;
    let text = match std::fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            AtomicFile::write_whole(path, documents::to_json(&now).as_bytes())?;
            return Ok(Vec::new());
        }
        other => other.map_err(|why| because(format!("cannot read {}: {why}", path.display())))?,
    };
    let before: ImageContents = documents::from_json(&text)
        .map_err(|why| because(format!("{} is no list of what is in an image: {why}", path.display())))?;
    Ok(differences(&before, &now))
}

fn differences(before: &ImageContents, now: &ImageContents) -> Vec<String> {
    let mut differences = Vec::new();
    if before.digest != now.digest {
        differences.push(format!("digest: {}, and was {}", now.digest, before.digest));
    }
    let version = |one: &ImageLanguage| one.version.clone().unwrap_or_default();
    let of_languages = |contents: &ImageContents| {
        contents.languages.iter().map(|one| (one.id.clone(), version(one))).collect::<Vec<_>>()
    };
    let of_packages = |contents: &ImageContents| {
        contents
            .packages
            .iter()
            .map(|one| (format!("{}:{}", one.name, one.architecture), one.version.clone()))
            .collect()
    };
    for (before, now) in [(of_languages(before), of_languages(now)), (of_packages(before), of_packages(now))]
    {
        let of = |all: &[(String, String)], name: &str| {
            all.iter().find(|(known, _)| known == name).map(|(_, version)| version.clone())
        };
        for (name, version) in &now {
            match of(&before, name) {
                Some(old) if old == *version => {}
                Some(old) => differences.push(format!("{name}: {version}, and was {old}")),
                None => differences.push(format!("{name}: {version}, and was not there")),
            }
        }
        let gone = before.iter().filter(|(name, _)| of(&now, name).is_none());
        differences.extend(gone.map(|(name, version)| format!("{name}: not there, and was {version}")));
    }
    differences
}

/// Makes the list of packages in SPDX 2.3 (spdx.github.io/spdx-spec/v2.3), the same for the same image.
fn sbom(name: &str, image: &InUse) -> anyhow::Result<String> {
    let contents = read(image)?;
    let digest = &image.image.digest;
    let none = "NOASSERTION";
    let package = |id: String, name: &str, version: &str, url: Option<String>| {
        let mut package = json!({
            "SPDXID": id, "name": name, "versionInfo": version, "downloadLocation": none, "filesAnalyzed": false,
            "licenseConcluded": none, "licenseDeclared": none, "copyrightText": none, "supplier": none,
        });
        if let Some(url) = url {
            package["externalRefs"] = json!([{
                "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": url,
            }]);
        }
        package
    };
    let own = "SPDXRef-image".to_owned();
    let mut packages = vec![package(own.clone(), name, &digest.to_string(), None)];
    packages[0]["checksums"] = json!([{"algorithm": "SHA256", "checksumValue": digest.hex()}]);
    let mut relationships = vec![relationship("SPDXRef-DOCUMENT", "DESCRIBES", &own)];
    for (at, one) in contents.packages.iter().enumerate() {
        let id = format!("SPDXRef-package-{at}");
        relationships.push(relationship(&own, "CONTAINS", &id));
        packages.push(package(id, &one.name, &one.version, Some(one.url(&contents.distribution))));
    }
    let document = json!({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
        "documentNamespace": format!("https://spdx.org/spdxdocs/tautochrone-{}", digest.hex()),
        // The image's own time says as little.
        "creationInfo": {
            "created": "1970-01-01T00:00:00Z", "creators": [concat!("Tool: tauto-", env!("CARGO_PKG_VERSION"))],
        },
        "packages": packages, "relationships": relationships,
    });
    Ok(format!("{document:#}\n"))
}

fn relationship(from: &str, kind: &str, to: &str) -> Value {
    json!({"spdxElementId": from, "relationshipType": kind, "relatedSpdxElement": to})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_is_named() {
        let package = |name: &str, version: &str| ImagePackage {
            name: name.to_owned(),
            version: version.to_owned(),
            architecture: "amd64".to_owned(),
        };
        let before = ImageContents {
            digest: "sha256:1".to_owned(),
            distribution: None,
            languages: vec![ImageLanguage { id: "cpp".to_owned(), version: Some("12.2.0".to_owned()) }],
            packages: vec![package("g++", "12"), package("old", "1")],
        };
        assert_eq!(differences(&before, &before), [""; 0]);
        let now = ImageContents {
            digest: "sha256:2".to_owned(),
            languages: vec![ImageLanguage { id: "cpp".to_owned(), version: Some("13.1.0".to_owned()) }],
            packages: vec![package("g++", "13"), package("new", "2")],
            ..before.clone()
        };
        assert_eq!(
            differences(&before, &now),
            [
                "digest: sha256:2, and was sha256:1",
                "cpp: 13.1.0, and was 12.2.0",
                "g++:amd64: 13, and was 12",
                "new:amd64: 2, and was not there",
                "old:amd64: not there, and was 1"
            ]
        );
    }
}
