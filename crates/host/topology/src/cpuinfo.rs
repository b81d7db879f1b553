//! `/proc/cpuinfo`, the fallback if the kernel's device folders are missing.

use super::reader::Reader;
use model::CpuId;
use std::collections::BTreeMap;
use system::mask::NUMBER_MAX;

pub(super) const PATH: &str = "proc/cpuinfo";

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Processor {
    pub(super) package: Option<u32>,
    pub(super) core: Option<u32>,
    /// Vendor and family, such as `("AuthenticAMD", 21)`.
    pub(super) family: Option<(String, u32)>,
}

pub(super) fn read(reader: &Reader<'_>) -> BTreeMap<CpuId, Processor> {
    let text = reader.text(PATH).unwrap_or_default();
    let mut processors = BTreeMap::new();
    let (mut current, mut vendor) = (None, String::new());
    for line in text.lines() {
        let Some((name, value)) = line.split_once(':') else { continue };
        let (name, value) = (name.trim(), value.trim());
        // On s390 the number is in the name: `processor 0: version = FF`.
        let number = match name.strip_prefix("processor") {
            Some("") => Some(value),
            Some(rest) if rest.starts_with(' ') => Some(rest.trim()),
            _ => None,
        };
        if let Some(number) = number {
            current = number.parse().ok().filter(|cpu| *cpu < NUMBER_MAX).map(CpuId);
            match current {
                Some(cpu) => _ = processors.insert(cpu, Processor::default()),
                None => reader.wrong(PATH, line, "a line such as 'processor : 3'"),
            }
            continue;
        }
        let Some(processor) = current.and_then(|cpu| processors.get_mut(&cpu)) else { continue };
        match name {
            "physical id" => processor.package = value.parse().ok(),
            "core id" => processor.core = value.parse().ok(),
            "vendor_id" => value.clone_into(&mut vendor),
            "cpu family" => processor.family = value.parse().ok().map(|family| (vendor.clone(), family)),
            _ => {}
        }
    }
    processors
}
