//! What happens to a fleet, as a trace.

use simulator::trace::{ChangeRecord, Head, HostRecord, JobRecord, Record, TraceError, Writer};
use std::collections::BTreeMap;

/// What happened, by time; no two things have the same.
#[derive(Default)]
pub struct Recorder {
    records: BTreeMap<u64, Record>,
    /// When each job that has not ended came.
    open: BTreeMap<String, u64>,
}

/// More would take much memory; then the trace begins anew with what is there.
pub const RECORDS_MAX: usize = 200_000;

impl Recorder {
    pub fn is_full(&self) -> bool {
        self.records.len() >= RECORDS_MAX
    }

    pub fn host(&mut self, at_ms: u64, record: HostRecord) {
        self.records.insert(at_ms, Record::Host(record));
    }

    pub fn change(&mut self, at_ms: u64, record: ChangeRecord) {
        self.records.insert(at_ms, Record::Change(record));
    }

    pub fn job(&mut self, at_ms: u64, record: JobRecord) {
        self.open.insert(record.name.clone(), at_ms);
        self.records.insert(at_ms, Record::Job(record));
    }

    pub fn end(&mut self, at_ms: u64, name: &str) {
        let begun_ms = self.open.remove(name);
        if let Some(begun_ms) = begun_ms
            && let Some(Record::Job(job)) = self.records.get_mut(&begun_ms)
        {
            job.for_ms = Some((at_ms - begun_ms).max(1));
        }
    }

    /// Returns the trace until now.
    pub fn text(&self, name: &str) -> Result<String, TraceError> {
        let head = Head {
            name: name.to_owned(),
            made_by: "tauto".to_owned(),
            separate_days: false,
            note: "recorded by the scheduler of a cluster: jobs come when they are decided about; one that was placed by others, or not on the \
                   best host, may run on that host alone"
                .to_owned(),
        };
        let mut writer = Writer::create(Vec::new(), &head)?;
        let first_ms = self.records.keys().next().copied().unwrap_or(0);
        for (at_ms, record) in &self.records {
            let mut record = record.clone();
            let (Record::Host(HostRecord { at_ms: at, .. })
            | Record::Change(ChangeRecord { at_ms: at, .. })
            | Record::Job(JobRecord { at_ms: at, .. })) = &mut record;
            *at = at_ms - first_ms;
            writer.write(&record)?;
        }
        Ok(String::from_utf8_lossy(&writer.finish()?).into_owned())
    }
}
