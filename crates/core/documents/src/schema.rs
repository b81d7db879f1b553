//! Every document with its JSON Schema, which is made from its type.

use crate::document::Document;
use crate::judgehost::JudgehostEvent;
use crate::{
    AllocationReport, AuditReport, BenchComparisonReport, BenchReport, DoctorReport, ErrorReport,
    JudgeReport, LabAffinityReport, LabNoiseReport, LabPlacementReport, LabSharingReport, LabSieveReport,
    LabStabilityReport, LabThrottlingReport, LanguagesReport, LeasesFile, MachineCheckReport,
    MachineRestoreReport, MachineTuneReport, NoiseCheckReport, NoiseCompareReport, NoiseExchangeReport,
    NoisePredictReport, NoiseProbeReport, NoiseReport, NoiseSourcesReport, PlacementVectors, PoliciesReport,
    PolicyCheckReport, RecordLine, RecordVerification, RunReport, SimComparison, SimContestReport,
    SimExplanation, SimImportReport, SimLine, SimNoiseReport, SimReport, SimRightSizeReport, StoredLimit,
    StreamBoard, TopologyReport,
};
use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use serde_json::{Value, json};

const PREFIX: &str = "tautochrone/";

/// Every document, in the order of the index in `docs/json.md`.
pub const DOCUMENTS: &[DocumentKind] = &[
    written::<RunReport>("`tauto run --json` (with `--output FILE` into that file)"),
    written::<JudgeReport>("`tauto judge --json`"),
    written::<RecordLine>("`tauto judge --record FILE`, one line for each step in that file"),
    written::<RecordVerification>("`tauto judge --verify FILE --json`"),
    written::<StoredLimit>("`tauto judge` into a file that keeps a derived limit"),
    written::<BenchReport>("`tauto bench --json`, and `--export-json FILE` into that file"),
    written::<BenchComparisonReport>("`tauto bench --compare A B --json`"),
    written::<LabSieveReport>("`tauto lab sieve --json`, and `report.json` in its folder"),
    written::<LabStabilityReport>("`tauto lab stability --json`, and `report.json` in its folder"),
    written::<LabSharingReport>("`tauto lab sharing --json`, and `report.json` in its folder"),
    written::<LabThrottlingReport>("`tauto lab throttling --json`, and `report.json` in its folder"),
    written::<LabPlacementReport>("`tauto lab placement --json`, and `report.json` in its folder"),
    written::<LabAffinityReport>("`tauto lab affinity --json`, and `report.json` in its folder"),
    written::<LabNoiseReport>("`tauto lab noise --json`, and `report.json` in its folder"),
    written::<LanguagesReport>("`tauto languages --json`"),
    written::<DoctorReport>("`tauto doctor --json`"),
    written::<TopologyReport>("`tauto machine topology --json`"),
    written::<MachineCheckReport>("`tauto machine check --json`"),
    written::<MachineTuneReport>("`tauto machine tune --json`"),
    written::<MachineRestoreReport>("`tauto machine restore --json`"),
    written::<AuditReport>("`tauto machine audit --json`"),
    written::<AllocationReport>("`tauto machine allocate --json`"),
    read::<LeasesFile>("nothing; `tauto machine allocate --state` reads it"),
    written::<NoiseProbeReport>("`tauto noise probe --json`"),
    written::<NoiseCheckReport>("`tauto noise check --json`"),
    written::<NoiseCompareReport>("`tauto noise compare A B --json`"),
    written::<NoiseSourcesReport>("`tauto noise sources --json`"),
    written::<NoiseReport>("`tauto noise report --json`, and `report.json` in its folder"),
    written::<NoisePredictReport>("`tauto noise predict --json`"),
    written::<NoiseExchangeReport>("`tauto noise exchange --json`"),
    written::<PolicyCheckReport>("`tauto policy check FILE --json`"),
    written::<PoliciesReport>("`tauto policy list --json`, and `tauto policy show NAME --json` with the one"),
    written::<SimImportReport>("`tauto sim import SOURCE --json` and `tauto sim generate --json`"),
    written::<SimNoiseReport>("`tauto sim import azure-noise --json`"),
    written::<SimReport>("`tauto sim run --json` and `tauto sim report --json`"),
    written::<SimLine>("`tauto sim run --output FILE`, one line for each event in that file"),
    written::<PlacementVectors>("`tauto sim vectors`"),
    written::<SimComparison>("`tauto sim compare --json`"),
    written::<SimExplanation>("`tauto sim explain --json`"),
    written::<SimContestReport>("`tauto sim contest --json`"),
    written::<SimRightSizeReport>("`tauto sim right-size --json`"),
    written::<StreamBoard>("`tauto stream board --json`, and `GET /board.json` of `tauto stream serve`"),
    written::<JudgehostEvent>("`tauto judgehost --json`, one line for each event"),
    written::<ErrorReport>("any command, in place of its document, when the command itself fails"),
];

/// A kind of document.
#[derive(Debug)]
pub struct DocumentKind {
    /// The name of its schema with its version, such as `tautochrone/run/1`.
    pub schema: &'static str,
    /// What prints it, in Markdown.
    pub printed_by: &'static str,
    make: fn() -> Schema,
}

impl DocumentKind {
    /// Finds a document by its name, such as `tautochrone/run/1`, `run/1` or `run`.
    pub fn find(name: &str) -> Option<&'static Self> {
        let name = name.strip_prefix(PREFIX).unwrap_or(name);
        DOCUMENTS.iter().find(|kind| kind.name() == name || kind.base_name() == name)
    }

    /// Returns its name and version, such as `run/1`.
    pub fn name(&self) -> &'static str {
        self.schema.strip_prefix(PREFIX).unwrap_or(self.schema)
    }

    /// Returns its name without the version, such as `run`.
    pub fn base_name(&self) -> &'static str {
        self.name().split_once('/').map_or(self.name(), |(name, _)| name)
    }

    /// Returns the name of the file that has its JSON Schema, such as `run-1.json`.
    pub fn file_name(&self) -> String {
        format!("{}.json", self.name().replace('/', "-"))
    }

    /// Returns its JSON Schema.
    pub fn json_schema(&self) -> Schema {
        (self.make)()
    }
}

/// Returns a document that we write: every field is there.
const fn written<T: Document>(printed_by: &'static str) -> DocumentKind {
    let make = || json_schema::<T>(SchemaSettings::draft2020_12().for_serialize());
    DocumentKind { schema: T::SCHEMA, printed_by, make }
}

/// Returns a document that others write: fields with a default may be missing.
const fn read<T: Document>(printed_by: &'static str) -> DocumentKind {
    let make = || json_schema::<T>(SchemaSettings::draft2020_12().for_deserialize());
    DocumentKind { schema: T::SCHEMA, printed_by, make }
}

fn json_schema<T: Document>(settings: SchemaSettings) -> Schema {
    let settings = settings.with_transform(RecursiveTransform(join_lines));
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.insert("$id".to_owned(), format!("urn:{}", T::SCHEMA.replacen('/', ":", 1)).into());
    schema.insert("title".to_owned(), T::SCHEMA.into());
    let fields = schema.ensure_object();
    // A line that is one of several has none of its own: it is told by its only key.
    if let Some(properties) = fields.get_mut("properties").and_then(Value::as_object_mut) {
        properties.shift_insert(0, "schema".to_owned(), json!({ "const": T::SCHEMA }));
    }
    if let Some(required) = fields.get_mut("required").and_then(Value::as_array_mut) {
        required.insert(0, "schema".into());
    }
    schema
}

/// Makes one line of a description, which has the line breaks of the source.
fn join_lines(schema: &mut Schema) {
    if let Some(Value::String(description)) = schema.get_mut("description") {
        *description = description.replace('\n', " ");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_found_by_name() {
        for name in ["tautochrone/judge-record/2", "judge-record/2", "judge-record"] {
            assert_eq!(DocumentKind::find(name).unwrap().schema, "tautochrone/judge-record/2");
        }
        assert!(DocumentKind::find("judge-record/1").is_none());
        assert_eq!(DocumentKind::find("run").unwrap().file_name(), "run-1.json");
    }

    #[test]
    fn all_fields_of_what_we_write_are_required() {
        let schema = DocumentKind::find("error").unwrap().json_schema();
        let expected = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": "urn:tautochrone:error/1",
            "title": "tautochrone/error/1",
            "description": "An error in place of a report.",
            "type": "object",
            "properties": {
                "schema": { "const": "tautochrone/error/1" },
                "message": { "description": "What went wrong, one sentence.", "type": "string" },
                "causes": {
                    "description": "What caused it, the nearest cause first.",
                    "type": "array",
                    "items": { "type": "string" }
                },
                "hint": {
                    "description": "What to do about it; `null` if nothing is known.",
                    "type": ["string", "null"]
                }
            },
            "required": ["schema", "message", "causes", "hint"]
        });
        assert_eq!(schema, expected);
    }
}
