//! Converts readings to documents.

use model::{CpuSet, Reading};

pub fn machine_identity(identity: &system::MachineIdentity) -> documents::MachineIdentity {
    let hypervisor = match &identity.hypervisor {
        Reading::Known(hypervisor) => Reading::Known(hypervisor.to_string()),
        Reading::Unavailable(why) => Reading::Unavailable(why.clone()),
    };
    documents::MachineIdentity::new(
        &identity.cpu_model,
        &identity.core_count,
        &identity.memory,
        &identity.kernel,
        &hypervisor,
        identity.hash(),
    )
}

pub fn doctor_report(
    machine: &system::Machine,
    settings: &[settings::Setting],
    checks: &[settings::Check],
) -> documents::DoctorReport {
    let facts = settings.iter().map(|setting| {
        let found = match setting.status {
            system::Status::Unavailable => Reading::Unavailable(setting.found.clone()),
            _ => Reading::Known(setting.found.clone()),
        };
        (setting.name, found)
    });
    documents::DoctorReport {
        status: system::Status::worst(checks.iter().map(|check| check.status)).id().to_owned(),
        machine: machine_identity(&machine.identity()),
        checks: checks
            .iter()
            .map(|check| documents::DoctorCheck {
                name: check.name.to_owned(),
                area: check.area.id().to_owned(),
                status: check.status.id().to_owned(),
                what: check.what.clone(),
                why: check.why.clone(),
                fix: check.fix.clone(),
            })
            .collect(),
        facts: machine
            .facts()
            .into_iter()
            .chain(facts)
            .map(|(name, fact)| documents::Fact::new(name, fact))
            .collect(),
    }
}

/// Names a document's CPUs as in [`CpuSet::named`].
pub fn named(cpus: &str) -> String {
    cpus.parse().map_or_else(|_| format!("CPUs {cpus}"), |cpus: CpuSet| cpus.named())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_makes_a_document_that_can_be_read() {
        let machine = system::Machine::here();
        let snapshot = settings::Snapshot::here();
        let settings = settings::examine(&snapshot, &Reading::unavailable("a test"));
        let checks = settings::doctor::examine(&machine, &settings, &Reading::Known(Vec::new()), &[], 1);
        let report = doctor_report(&machine, &settings, &checks);
        assert_eq!(report.checks.len(), checks.len());
        let text = documents::to_json(&report);
        assert_eq!(documents::from_json::<documents::DoctorReport>(&text).unwrap(), report);
    }
}
