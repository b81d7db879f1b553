//! Builds the groups of the legacy formats: each inherits the settings of `testdata.yaml` above it.

use super::case::Settings;
use super::legacy_config::{self, LegacyConfig};
use super::read::{Reader, TOP_GROUPS, place_of};
use super::{Group, domjudge_config, folder};
use crate::error::Complaint;
use crate::scoring::{self, Grading, OnReject};
use crate::tree::{Item, Tree};
use crate::yaml::Value;
use crate::{FileLocation, PackageError, yaml};
use model::ScoreRules;

/// Returns whether a `testdata.yaml` in or below a folder grades by the keys of the legacy formats, as in packages that were
/// moved to the first texts of the draft.
pub(super) fn has_legacy_keys(tree: &Tree, folder: &str) -> Result<bool, PackageError> {
    for item in tree.list(folder)? {
        let is_config = !item.is_folder && item.name == folder::LEGACY_CONFIG;
        let has_key = if is_config {
            let root = yaml::parse(&item.relative, &tree.text(&item.relative)?)?;
            matches!(&root.value, Value::Map(entries)
                if entries.iter().any(|entry| legacy_config::KEYS.contains(&entry.key.as_str())))
        } else {
            item.is_folder && has_legacy_keys(tree, &item.relative)?
        };
        if has_key {
            return Ok(true);
        }
    }
    Ok(false)
}

impl Reader<'_> {
    pub(super) fn legacy_root(&mut self) -> Result<Group, PackageError> {
        let start = LegacyConfig { grading: self.metadata.legacy_grading.clone(), ..LegacyConfig::default() };
        let folder = self.scan("")?;
        self.warn_of_loose_cases(&folder);
        let config = self.legacy_config(folder.config.as_ref(), start)?;
        if let Some(item) = &folder.config
            && config.grading.ignore_sample
            && config.grading.on_reject == OnReject::Break
            && self.tree.is_folder(&place_of("sample"))
        {
            self.tree.warnings.push(FileLocation::file(&item.relative).leniency(
                "sets ignore_sample, but judging stops at a rejected sample, which then is the verdict",
                "set 'on_reject: continue'",
            ));
        }
        let mut groups = Vec::new();
        for name in TOP_GROUPS {
            if self.tree.is_folder(&place_of(name)) {
                let inherited = config.inherited();
                groups.push(self.legacy_group(name, &inherited, config.own.is_some())?);
            }
        }
        let grading = self.legacy_grading("", config, true)?;
        let root = Group { name: String::new(), cases: Vec::new(), groups, grading, static_validation: None };
        if self.metadata.score_rules == ScoreRules::Domjudge {
            self.warn_of_what_does_not_count(&root);
        }
        Ok(root)
    }

    fn legacy_grading(
        &mut self,
        name: &str,
        config: LegacyConfig,
        counts_around: bool,
    ) -> Result<Grading, PackageError> {
        if self.metadata.score_rules == ScoreRules::Format {
            return Ok(Grading::Legacy(config.grading));
        }
        let file = format!("{}/testdata.yaml", place_of(name));
        let has_validator = self.metadata.custom_validation == Some(true);
        let own = config.own.as_ref();
        domjudge_config::grading(&file, own, counts_around, has_validator, &self.tree.warnings)
            .map(Grading::Domjudge)
    }

    /// Warns of secret cases that are judged and do not count by DOMjudge's rules.
    fn warn_of_what_does_not_count(&mut self, root: &Group) {
        for name in scoring::left_out(root).into_iter().filter(|name| !name.starts_with("sample")) {
            self.tree.warnings.push(FileLocation::file(place_of(name)).mistake(
                "has cases that do not count in DOMjudge: only folders without groups, with a testdata.yaml in them \
                 and in each folder around, have points",
                "add the file, or move the cases into a folder with one",
            ));
        }
    }

    fn legacy_group(
        &mut self,
        name: &str,
        inherited: &LegacyConfig,
        counts_around: bool,
    ) -> Result<Group, PackageError> {
        let folder = self.scan(name)?;
        let config = self.legacy_config(folder.config.as_ref(), inherited.clone())?;
        if config.grading.ignore_sample {
            self.tree.warnings.push(FileLocation::file(place_of(name)).warning(
                "sets ignore_sample, which only counts in data/testdata.yaml",
                "move the flag there",
            ));
        }
        let mut validator_args = self.metadata.validator_flags.clone();
        validator_args.extend_from_slice(&config.output_flags);
        let settings = Settings {
            validator_args,
            input_validator_args: config.input_flags.clone(),
            full_feedback: name == "sample",
            ..Settings::default()
        };
        let mut cases = Vec::new();
        for (stem, parts) in &folder.cases {
            cases.push(self.case(format!("{name}/{stem}"), parts, &settings)?);
        }
        let mut groups = Vec::new();
        let counts = counts_around && config.own.is_some();
        for item in folder.folders {
            let inner = format!("{name}/{}", item.name);
            groups.push(self.legacy_group(&inner, &config.inherited(), counts)?);
        }
        let grading = self.legacy_grading(name, config, counts_around)?;
        Ok(Group { name: name.to_owned(), cases, groups, grading, static_validation: None })
    }

    fn legacy_config(
        &mut self,
        file: Option<&Item>,
        inherited: LegacyConfig,
    ) -> Result<LegacyConfig, PackageError> {
        let Some(item) = file else { return Ok(inherited) };
        let text = self.tree.text(&item.relative)?;
        legacy_config::read(&item.relative, &text, inherited, self.metadata.kind.scoring, &self.tree.warnings)
    }
}
