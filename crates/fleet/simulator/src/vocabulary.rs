//! Numbers for the names of a trace, as placement uses them.

use crate::trace::{HostRecord, JobRecord};
use placement::{Amount, Host, HostId, Job, NameId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Names in the order in which they came.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Names {
    list: Vec<Box<str>>,
    numbers: BTreeMap<Box<str>, NameId>,
}

/// The names of a fleet. Hosts have the number that they have in its scheduler if each is added to both in turn.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Vocabulary {
    pub hosts: Names,
    pub pools: Names,
    services: Names,
    clusters: Names,
    labels: Names,
}

impl Names {
    /// Returns a name's number, a new one for a new name.
    fn number(&mut self, name: &str) -> NameId {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.list.len() as NameId;
        self.list.push(name.into());
        self.numbers.insert(name.into(), number);
        number
    }

    /// Returns the number of a name that came.
    pub fn find(&self, name: &str) -> Option<NameId> {
        self.numbers.get(name).copied()
    }

    /// # Panics
    /// When there is no such number.
    pub fn name(&self, number: NameId) -> &str {
        &self.list[number as usize]
    }
}

impl Vocabulary {
    /// Returns the number of a record's host, and what placement sees of it.
    pub fn host(&mut self, record: &HostRecord) -> (HostId, Host) {
        let labels = record.labels.iter().map(|label| self.labels.number(label)).fold(0, with_bit);
        let host = Host {
            capacity: Amount { cpu_milli: record.cpu_milli, memory_mib: record.memory_mib },
            numa_nodes: record.numa_nodes,
            threads: record.threads,
            pool: self.pools.number(&record.pool),
            cluster: self.clusters.number(&record.cluster),
            labels,
            noise_permille: record.noise_permille,
            price: record.price,
        };
        (self.hosts.number(&record.name), host)
    }

    /// Returns what placement sees of a record's job.
    ///
    /// # Errors
    /// When its pool, cluster or host did not come yet.
    pub fn job(&mut self, record: &JobRecord) -> Result<Job, String> {
        let find = |names: &Names, what: &str, name: &Option<String>| match name {
            None => Ok(None),
            Some(name) => {
                let known =
                    || format!("no host of the {what} '{name}' comes before the job '{}'", record.name);
                names.find(name).map(Some).ok_or_else(known)
            }
        };
        let (pool, cluster) =
            (find(&self.pools, "pool", &record.pool)?, find(&self.clusters, "cluster", &record.cluster)?);
        let host = match &record.host {
            None => None,
            Some(name) => Some(self.hosts.find(name).ok_or_else(|| {
                format!("no host '{name}' comes before the job '{}', which may run on no other", record.name)
            })?),
        };
        let needs = record.needs.iter().map(|label| self.labels.number(label)).fold(0, with_bit);
        Ok(Job {
            request: record.request(),
            level: record.level,
            service: record.service.as_deref().map(|service| self.services.number(service)),
            pool,
            cluster,
            host,
            needs,
            apart: record.apart,
            idle_siblings: record.idle_siblings,
            noise_max_permille: record.noise_max_permille,
        })
    }
}

/// The checks of records allow as many labels as there are bits.
fn with_bit(bits: u64, label: NameId) -> u64 {
    bits | 1_u64.checked_shl(label).unwrap_or(0)
}
