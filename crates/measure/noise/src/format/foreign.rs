//! Traces of other programs, as text: which format it is, its lines, and a profile made of what they say.

mod found;
use super::{FormatError, UNPACKED_BYTES_MAX, ftq, netgauge, osnoise, sysjitter};
use crate::Profile;
pub(crate) use found::{CpuReadings, Line, comment, gaps, lines, no_calls, profile};
pub use found::{Foreign, ForeignHints};

/// Bytes of a text that are read to recognise its format.
const LOOK_LINES: usize = 2000;
/// Reads a text of another program.
///
/// # Errors
/// When it is none that is known, or a line is not what it should be.
pub(super) fn import(bytes: &[u8], hints: ForeignHints) -> Result<Profile, FormatError> {
    if bytes.len() as u64 > UNPACKED_BYTES_MAX {
        return Err(FormatError::TooLarge);
    }
    let not_known = || {
        FormatError::Foreign("nor a trace of osnoise, timerlat, sysjitter, netgauge, FTQ or FWQ".to_owned())
    };
    let text = std::str::from_utf8(bytes).map_err(|_| not_known())?;
    match hints.format.or_else(|| detect(text)).ok_or_else(not_known)? {
        Foreign::Osnoise => osnoise::read(text),
        Foreign::Sysjitter => sysjitter::read(text, hints),
        Foreign::Netgauge => netgauge::read(text, hints),
        Foreign::Ftq => ftq::read_ftq(text, hints),
        Foreign::Fwq => ftq::read_fwq(text, hints),
    }
}

/// Returns the format that a text has.
fn detect(text: &str) -> Option<Foreign> {
    let mut begin = text.lines().take(LOOK_LINES);
    if begin.clone().any(osnoise::is_line) {
        return Some(Foreign::Osnoise);
    }
    if begin.clone().any(netgauge::is_heading) {
        return Some(Foreign::Netgauge);
    }
    if begin.clone().any(|line| line.starts_with("# cpu_mhz:")) {
        return Some(Foreign::Sysjitter);
    }
    let columns: Vec<&str> =
        begin.find(|line| !line.trim().is_empty() && !line.starts_with('#'))?.split_whitespace().collect();
    if !columns.iter().all(|column| column.parse::<f64>().is_ok()) {
        return None;
    }
    match columns.len() {
        1 => Some(Foreign::Fwq),
        2 => Some(Foreign::Ftq),
        _ => None,
    }
}
