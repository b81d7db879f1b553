//! Parses the counter files and sums over a set of CPUs.

use super::CpuTicks;
use model::{CpuId, CpuSet, Nanos};

/// Why there is no steal time.
pub(super) const NO_STEAL: &str = "this kernel's /proc/stat has no steal column";

/// Sums the `cpuN` lines of `/proc/stat`.
pub(super) fn stat(text: &[u8], cpus: &CpuSet) -> Result<CpuTicks, String> {
    let mut sum = CpuTicks { steal: Some(0), ..CpuTicks::default() };
    let mut wanted = cpus.iter().peekable();
    // The kernel writes the lines in ascending order, before the long line of interrupts.
    for line in lines(text) {
        let Some(&cpu) = wanted.peek() else { break };
        let Some((id, rest)) = cpu_line(line) else {
            // The line of the sum is `cpu ` without a number.
            if line.starts_with(b"cpu ") {
                continue;
            }
            break;
        };
        if id != cpu {
            continue;
        }
        wanted.next();
        let mut fields = numbers(rest);
        let mut next = || fields.next();
        let (Some(user), Some(nice), Some(system), Some(idle)) = (next(), next(), next(), next()) else {
            return Err(format!("the line of CPU {cpu} in stat has fewer than four numbers"));
        };
        let (iowait, irq, softirq) = (next().unwrap_or(0), next().unwrap_or(0), next().unwrap_or(0));
        sum.busy = [user, nice, system, irq, softirq].into_iter().fold(sum.busy, u64::saturating_add);
        sum.idle = sum.idle.saturating_add(idle).saturating_add(iowait);
        sum.steal = sum.steal.zip(next()).map(|(sum, steal): (u64, u64)| sum.saturating_add(steal));
    }
    match wanted.next() {
        Some(cpu) => Err(format!("CPU {cpu} has no line in stat: it is offline")),
        None => Ok(sum),
    }
}

/// Sums the columns of these CPUs in `/proc/interrupts` or `/proc/softirqs`.
///
/// The header lists the CPUs of the columns: offline CPUs have no column. A row with fewer numbers, such as `ERR`,
/// counts for the whole machine and is skipped.
pub(super) fn columns(text: &[u8], cpus: &CpuSet) -> Result<u64, String> {
    let mut lines = lines(text);
    let header = lines.next().unwrap_or_default();
    let mut wanted_columns = Vec::new();
    let mut column_count = 0;
    for word in header.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()) {
        let id = word.strip_prefix(b"CPU").and_then(number);
        let id = id.ok_or_else(|| format!("the header '{}' is not a list of CPUs", shown(header)))?;
        wanted_columns.push(u32::try_from(id).is_ok_and(|id| cpus.contains(CpuId(id))));
        column_count += 1;
    }
    let found = wanted_columns.iter().filter(|&&wanted| wanted).count();
    if found != cpus.len() {
        return Err(missing_column(header, cpus));
    }
    let mut sum = 0_u64;
    for line in lines {
        let Some(colon) = memchr::memchr(b':', line) else { continue };
        if matches!(line[..colon].trim_ascii(), b"ERR" | b"MIS") {
            continue;
        }
        let mut row_sum = 0_u64;
        let mut row_length = 0;
        for (value, wanted) in numbers(&line[colon + 1..]).zip(&wanted_columns) {
            row_length += 1;
            if *wanted {
                row_sum = row_sum.saturating_add(value);
            }
        }
        if row_length == column_count {
            sum = sum.saturating_add(row_sum);
        }
    }
    Ok(sum)
}

/// Sums the time that tasks ran, the seventh number of the `cpuN` lines of `/proc/schedstat`.
pub(super) fn schedstat(text: &[u8], cpus: &CpuSet) -> Result<Nanos, String> {
    const RUN_TIME_COLUMN: usize = 6;
    let mut sum = 0_u64;
    let mut found = 0;
    for line in lines(text) {
        let Some((cpu, rest)) = cpu_line(line).filter(|(cpu, _)| cpus.contains(*cpu)) else { continue };
        found += 1;
        let run_time = numbers(rest)
            .nth(RUN_TIME_COLUMN)
            .ok_or_else(|| format!("the line of CPU {cpu} in schedstat has fewer than seven numbers"))?;
        sum = sum.saturating_add(run_time);
    }
    if found == cpus.len() { Ok(Nanos(sum)) } else { Err("a CPU has no line in schedstat".to_owned()) }
}

fn missing_column(header: &[u8], cpus: &CpuSet) -> String {
    let names: Vec<_> = header.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
    let missing = cpus.iter().find(|cpu| !names.contains(&format!("CPU{cpu}").as_bytes()));
    match missing {
        Some(cpu) => format!("CPU {cpu} has no column in the header '{}'", shown(header)),
        None => format!("the header '{}' names a CPU twice", shown(header)),
    }
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let (line, after) = match memchr::memchr(b'\n', text) {
            Some(end) => (&text[..end], Some(&text[end + 1..])),
            None => (text, None),
        };
        rest = after;
        Some(line)
    })
}

/// Splits `cpu12 1 2 3` into the CPU and the rest.
fn cpu_line(line: &[u8]) -> Option<(CpuId, &[u8])> {
    let rest = line.strip_prefix(b"cpu")?;
    let end = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
    let id = u32::try_from(number(&rest[..end])?).ok()?;
    Some((CpuId(id), &rest[end..]))
}

/// Iterates over the numbers up to the first word that is not one.
fn numbers(text: &[u8]) -> impl Iterator<Item = u64> {
    let mut rest = text;
    // The columns are padded with more spaces than there are digits.
    std::iter::from_fn(move || {
        let start = rest.iter().position(|&byte| byte != b' ')?;
        let word = &rest[start..];
        let end = word.iter().position(|&byte| byte == b' ').unwrap_or(word.len());
        rest = &word[end..];
        number(&word[..end])
    })
}

fn number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u64, |value, byte| {
        let digit = byte.checked_sub(b'0').filter(|digit| *digit < 10)?;
        value.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

fn shown(line: &[u8]) -> String {
    let words: Vec<_> = String::from_utf8_lossy(line).split_whitespace().map(str::to_owned).collect();
    crate::files::cut(&words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_follow_the_header_not_the_position() {
        let text =
            b"     CPU0  CPU2  CPU5\n  1: 1 20 300 5-edge\nLOC: 4 50 600 Local 9 9\nERR: 7\nMIS: 1 1 1\n";
        for (list, sum) in [("0", 5), ("2", 70), ("5", 900), ("0,5", 905)] {
            assert_eq!(columns(text, &list.parse().unwrap()), Ok(sum), "{list}");
        }
        assert_eq!(
            columns(text, &"1".parse().unwrap()).unwrap_err(),
            "CPU 1 has no column in the header 'CPU0 CPU2 CPU5'"
        );
    }

    #[test]
    fn one_cpu_does_not_count_the_machines_errors() {
        let text = b"  CPU0\n LOC: 4 Local timer interrupts\nERR: 7\nMIS: 2\n";
        assert_eq!(columns(text, &"0".parse().unwrap()), Ok(4));
    }

    #[test]
    fn old_kernels_have_no_steal() {
        let ticks = stat(b"cpu 1 1 1 1\ncpu0 1 2 3 4\n", &"0".parse().unwrap()).unwrap();
        assert_eq!(ticks, CpuTicks { busy: 6, idle: 4, steal: None });
    }

    #[test]
    fn broken_text_is_an_error_not_a_number() {
        let cpus: CpuSet = "0".parse().unwrap();
        assert!(stat(b"", &cpus).is_err());
        assert!(stat(b"cpu0 1 2 x\n", &cpus).is_err());
        assert!(columns(b"", &cpus).is_err());
        assert!(columns(b"CPU0 device\n", &cpus).is_err());
        assert!(schedstat(b"cpu0 1 2 3\n", &cpus).is_err());
        assert!(stat(b"cpu0 99999999999999999999999 0 0 0\n", &cpus).is_err());
    }
}
