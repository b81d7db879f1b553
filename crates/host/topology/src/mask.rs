//! Sets of CPUs in the kernel's and hwloc's masks: words of 32 bits, the highest first.

use model::{CpuId, CpuSet};

const WORD_BITS: u32 = 32;
/// No machine has higher numbers of CPUs or NUMA nodes; a larger number is damage, not a set to allocate.
pub(super) const NUMBER_MAX: u32 = 1 << 16;
const WORDS_MAX: usize = (NUMBER_MAX / WORD_BITS) as usize;

/// Reads `00000000,0000000f` or `0x0000000f`; hwloc omits words of zeros between its commas.
pub(super) fn parse(text: &str) -> Option<CpuSet> {
    let words: Vec<&str> = text.trim().split(',').collect();
    if words.len() > WORDS_MAX || text.trim().is_empty() {
        return None;
    }
    let mut cpus = CpuSet::new();
    for (word, text) in (0..).zip(words.iter().rev()) {
        let digits = text.trim().trim_start_matches("0x");
        let bits =
            if digits.is_empty() && words.len() > 1 { 0 } else { u32::from_str_radix(digits, 16).ok()? };
        let set = (0..WORD_BITS).filter(|bit| bits >> bit & 1 == 1);
        set.for_each(|bit| _ = cpus.insert(CpuId(word * WORD_BITS + bit)));
    }
    Some(cpus)
}

/// Prints numbers as hwloc does: `0x00000001,0x0000000f`.
pub(super) fn print(numbers: impl IntoIterator<Item = u32>) -> String {
    let mut words = vec![0_u32];
    for number in numbers {
        let word = (number / WORD_BITS) as usize;
        words.resize(words.len().max(word + 1), 0);
        words[word] |= 1 << (number % WORD_BITS);
    }
    words.iter().rev().map(|word| format!("0x{word:08x}")).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_of_kernel_and_hwloc() {
        for (mask, list) in [
            ("0000,0000003f\n", "0-5"),
            ("fc00,00000000", "42-47"),
            ("0xf,,0x0000ffff", "0-15,64-67"),
            ("0x0", ""),
            ("3", "0-1"),
        ] {
            assert_eq!(parse(mask).map(|cpus| cpus.to_string()).as_deref(), Some(list), "{mask}");
        }
        for mask in ["", "0xf...f", "12345678901", "0-3", "-1"] {
            assert_eq!(parse(mask), None, "{mask}");
        }
        assert_eq!(print([0, 1, 2, 3, 32]), "0x00000001,0x0000000f");
        assert_eq!(print([]), "0x00000000");
    }
}
