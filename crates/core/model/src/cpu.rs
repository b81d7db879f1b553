//! CPU numbers and sets of them, in the kernel's notation.

use std::fmt;
use std::str::FromStr;

/// The kernel's number of one logical CPU (hwloc's PU).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CpuId(pub u32);

/// A set of CPUs; prints as `0-3,8`.
///
/// It is a list in ascending order, each once: the allocator makes and walks sets more often than it changes them.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CpuSet(Vec<CpuId>);

/// The reason why a list of CPUs could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{part}' in the CPU list '{list}' is not a number or a range such as 0-3")]
pub struct ParseCpuSetError {
    list: String,
    part: String,
}

/// No machine has more; a larger number in a list is a typing error, not a set to allocate.
const CPU_NUMBER_MAX: u32 = 1 << 16;

impl fmt::Display for CpuId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl CpuSet {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether the set holds no CPU.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether `cpu` is in the set.
    pub fn contains(&self, cpu: CpuId) -> bool {
        self.0.binary_search(&cpu).is_ok()
    }

    /// Adds a CPU; says whether it was new.
    pub fn insert(&mut self, cpu: CpuId) -> bool {
        match self.0.binary_search(&cpu) {
            Ok(_) => false,
            Err(at) => {
                self.0.insert(at, cpu);
                true
            }
        }
    }

    /// Walks the CPUs in ascending order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = CpuId> + '_ {
        self.0.iter().copied()
    }

    /// Names the CPUs in a sentence: `CPU 8`, `CPUs 0-3,8`, `no CPU`.
    pub fn named(&self) -> String {
        match self.len() {
            0 => "no CPU".to_owned(),
            1 => format!("CPU {self}"),
            _ => format!("CPUs {self}"),
        }
    }

    pub fn first(&self) -> Option<CpuId> {
        self.0.first().copied()
    }

    /// Makes the set of what is in both.
    pub fn intersection(&self, other: &Self) -> Self {
        Self(self.iter().filter(|cpu| other.contains(*cpu)).collect())
    }

    /// Makes the set of what is here and not in `other`.
    pub fn difference(&self, other: &Self) -> Self {
        Self(self.iter().filter(|cpu| !other.contains(*cpu)).collect())
    }

    /// Returns whether some CPU is in both.
    pub fn meets(&self, other: &Self) -> bool {
        self.iter().any(|cpu| other.contains(cpu))
    }

    /// Returns whether the two share CPUs and neither is inside the other.
    pub fn crosses(&self, other: &Self) -> bool {
        self.meets(other) && !self.is_subset(other) && !other.is_subset(self)
    }

    /// Returns whether every CPU here is in `other` too.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.iter().all(|cpu| other.contains(cpu))
    }
}

impl Extend<CpuId> for CpuSet {
    fn extend<I: IntoIterator<Item = CpuId>>(&mut self, cpus: I) {
        self.0.extend(cpus);
        if !self.0.is_sorted_by(|one, next| one < next) {
            self.0.sort_unstable();
            self.0.dedup();
        }
    }
}

impl FromIterator<CpuId> for CpuSet {
    fn from_iter<I: IntoIterator<Item = CpuId>>(cpus: I) -> Self {
        let mut set = Self::new();
        set.extend(cpus);
        set
    }
}

impl fmt::Display for CpuSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut cpus = self.0.iter().map(|cpu| cpu.0).peekable();
        let mut text = String::new();
        while let Some(start) = cpus.next() {
            let mut end = start;
            while cpus.peek() == Some(&(end + 1)) {
                end += 1;
                cpus.next();
            }
            if !text.is_empty() {
                text.push(',');
            }
            text.push_str(&start.to_string());
            if end > start {
                text.push('-');
                text.push_str(&end.to_string());
            }
        }
        f.pad(&text)
    }
}

impl FromStr for CpuSet {
    type Err = ParseCpuSetError;

    fn from_str(list: &str) -> Result<Self, Self::Err> {
        let mut set = Self::new();
        for part in list.trim().split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let wrong = || ParseCpuSetError { list: list.trim().to_owned(), part: part.to_owned() };
            let number =
                |text: &str| text.parse().ok().filter(|number| *number < CPU_NUMBER_MAX).ok_or_else(wrong);
            let (start, end) = match part.split_once('-') {
                Some((start, end)) => (number(start)?, number(end)?),
                None => (number(part)?, number(part)?),
            };
            if start > end {
                return Err(wrong());
            }
            set.extend((start..=end).map(CpuId));
        }
        Ok(set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_round_trip() {
        for (list, printed) in
            [("0-3,8", "0-3,8"), ("8,0,1,2,3\n", "0-3,8"), ("", ""), ("5", "5"), ("1,3,5", "1,3,5")]
        {
            assert_eq!(list.parse::<CpuSet>().unwrap().to_string(), printed);
        }
    }

    #[test]
    fn one_cpu_is_named_as_one() {
        for (list, named) in [("", "no CPU"), ("7", "CPU 7"), ("0-1", "CPUs 0-1"), ("1,3", "CPUs 1,3")] {
            assert_eq!(list.parse::<CpuSet>().unwrap().named(), named);
        }
    }

    #[test]
    fn broken_lists_name_the_part() {
        for list in ["0-x", "3-1", "0,,a", "0-99999999"] {
            assert!(list.parse::<CpuSet>().is_err(), "{list}");
        }
        assert_eq!(
            "0-3,b".parse::<CpuSet>().unwrap_err().to_string(),
            "'b' in the CPU list '0-3,b' is not a number or a range such as 0-3"
        );
    }
}
