//! Every document with its JSON Schema, which is made from its type.

use crate::document::Document;
use crate::judgehost::JudgehostEvent;
use crate::{
    AllocationReport, AuditReport, BenchComparisonReport, BenchCountsComparisonReport, BenchCountsReport,
    BenchReport, DoctorReport, ErrorReport, FleetExplanation, FleetReport, ImageContents, ImageReport,
    ImagesPruneReport, ImagesReport, JudgeReport, LabAffinityReport, LabClockReport, LabNoiseReport,
    LabPlacementReport, LabSharingReport, LabSieveReport, LabStabilityReport, LabThrottlingReport,
    LanguagesReport, LeasesFile, MachineCheckReport, MachineRestoreReport, MachineTuneReport,
    NoiseCheckReport, NoiseCompareReport, NoiseExchangeReport, NoisePredictReport, NoiseProbeReport,
    NoiseReport, NoiseSourcesReport, PlacementVectors, PoliciesReport, PolicyCheckReport, RecordLine,
    RecordVerification, RunReport, SimComparison, SimContestReport, SimExplanation, SimImportReport, SimLine,
    SimNoiseReport, SimReport, SimRightSizeReport, StoredLimit, StreamBenchReport, StreamBoard,
    TopologyReport,
};
use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use serde_json::{Value, json};

const PREFIX: &str = "tautochrone/";

/// Gives each type its schema, and makes the list of them.
macro_rules! documents {
    ($($kind:ident $document:ident, $schema:literal, $printed_by:literal;)*) => {
        $(impl Document for $document {
            const SCHEMA: &'static str = $schema;
        })*

        /// Every document, in the order of the index in `docs/json.md`.
        pub const DOCUMENTS: &[DocumentKind] = &[$($kind::<$document>($printed_by)),*];
    };
}

documents! {
    written RunReport, "tautochrone/run/1", "`tauto run --json` (with `--output FILE` into that file)";
    written JudgeReport, "tautochrone/judge/1", "`tauto judge --json`";
    written RecordLine, "tautochrone/judge-record/2",
        "`tauto judge --record FILE`, one line for each step in that file";
    written RecordVerification, "tautochrone/judge-verification/1", "`tauto judge --verify FILE --json`";
    written StoredLimit, "tautochrone/time-limit/1", "`tauto judge` into a file that keeps a derived limit";
    written BenchReport, "tautochrone/bench/1",
        "`tauto bench --json`, and `--export-json FILE` into that file";
    written BenchComparisonReport, "tautochrone/bench-comparison/1", "`tauto bench --compare A B --json`";
    written BenchCountsReport, "tautochrone/bench-counts/1",
        "`tauto bench --clock instructions --json`, and `--export-json FILE` into that file";
    written BenchCountsComparisonReport, "tautochrone/bench-counts-comparison/1",
        "`tauto bench --compare A B --json` of such files";
    written LabSieveReport, "tautochrone/lab-sieve/1",
        "`tauto lab sieve --json`, and `report.json` in its folder";
    written LabStabilityReport, "tautochrone/lab-stability/2",
        "`tauto lab stability --json`, and `report.json` in its folder";
    written LabSharingReport, "tautochrone/lab-sharing/1",
        "`tauto lab sharing --json`, and `report.json` in its folder";
    written LabClockReport, "tautochrone/lab-clock/1",
        "`tauto lab clock --json`, and `report.json` in its folder";
    written LabThrottlingReport, "tautochrone/lab-throttling/1",
        "`tauto lab throttling --json`, and `report.json` in its folder";
    written LabPlacementReport, "tautochrone/lab-placement/1",
        "`tauto lab placement --json`, and `report.json` in its folder";
    written LabAffinityReport, "tautochrone/lab-affinity/1",
        "`tauto lab affinity --json`, and `report.json` in its folder";
    written LabNoiseReport, "tautochrone/lab-noise/2",
        "`tauto lab noise --json`, and `report.json` in its folder";
    written LanguagesReport, "tautochrone/languages/1", "`tauto languages --json`";
    written DoctorReport, "tautochrone/doctor/1", "`tauto doctor --json`";
    written ImagesReport, "tautochrone/images/1", "`tauto image list --json`";
    written ImageReport, "tautochrone/image/1",
        "`tauto image import --json`, and `build`, `verify`, `export` and `remove`";
    written ImageContents, "tautochrone/image-contents/1",
        "`tauto image show --json`, and `build --lock FILE` into that file";
    written ImagesPruneReport, "tautochrone/images-prune/1", "`tauto image prune --json`";
    written TopologyReport, "tautochrone/topology/1", "`tauto machine topology --json`";
    written MachineCheckReport, "tautochrone/machine-check/1", "`tauto machine check --json`";
    written MachineTuneReport, "tautochrone/machine-tune/1", "`tauto machine tune --json`";
    written MachineRestoreReport, "tautochrone/machine-restore/1", "`tauto machine restore --json`";
    written AuditReport, "tautochrone/audit/1", "`tauto machine audit --json`";
    written AllocationReport, "tautochrone/allocation/1", "`tauto machine allocate --json`";
    read LeasesFile, "tautochrone/leases/1", "nothing; `tauto machine allocate --state` reads it";
    written NoiseProbeReport, "tautochrone/noise-probe/1", "`tauto noise probe --json`";
    written NoiseCheckReport, "tautochrone/noise-check/1", "`tauto noise check --json`";
    written NoiseCompareReport, "tautochrone/noise-compare/1", "`tauto noise compare A B --json`";
    written NoiseSourcesReport, "tautochrone/noise-sources/1", "`tauto noise sources --json`";
    written NoiseReport, "tautochrone/noise-report/2",
        "`tauto noise report --json`, and `report.json` in its folder";
    written NoisePredictReport, "tautochrone/noise-predict/1", "`tauto noise predict --json`";
    written NoiseExchangeReport, "tautochrone/noise-exchange/1", "`tauto noise exchange --json`";
    written PolicyCheckReport, "tautochrone/policy-check/1", "`tauto policy check FILE --json`";
    written PoliciesReport, "tautochrone/policies/1",
        "`tauto policy list --json`, and `tauto policy show NAME --json` with the one";
    written SimImportReport, "tautochrone/sim-import/1",
        "`tauto sim import SOURCE --json` and `tauto sim generate --json`";
    written SimNoiseReport, "tautochrone/sim-noise/1", "`tauto sim import azure-noise --json`";
    written SimReport, "tautochrone/sim-report/1", "`tauto sim run --json` and `tauto sim report --json`";
    written SimLine, "tautochrone/sim-line/1",
        "`tauto sim run --output FILE`, one line for each event in that file";
    written PlacementVectors, "tautochrone/placement-vectors/1", "`tauto sim vectors`";
    written SimComparison, "tautochrone/sim-comparison/1", "`tauto sim compare --json`";
    written SimExplanation, "tautochrone/sim-explanation/1", "`tauto sim explain --json`";
    written SimContestReport, "tautochrone/sim-contest/1", "`tauto sim contest --json`";
    written SimRightSizeReport, "tautochrone/sim-right-size/1", "`tauto sim right-size --json`";
    written FleetReport, "tautochrone/fleet/1", "`tauto fleet status --json`, and `pools`, `nodes` and `events`";
    written FleetExplanation, "tautochrone/fleet-explanation/1", "`tauto fleet explain POD --json`";
    written StreamBoard, "tautochrone/stream-board/1",
        "`tauto stream board --json`, and `GET /board.json` of `tauto stream serve`";
    written StreamBenchReport, "tautochrone/stream-bench/1", "`tauto stream bench --json`";
    written JudgehostEvent, "tautochrone/judgehost-event/1",
        "`tauto judgehost --json`, one line for each event";
    written ErrorReport, "tautochrone/error/1", "any command, in place of its document, when the command itself fails";
}

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
    // A line that is one of several has none of its own: its only key names it.
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
                "message": { "type": "string" },
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
