//! Sets of CPUs as the kernel's masks: words of 32 bits in hexadecimal, the highest first.

use model::{CpuId, CpuSet};

const WORD_BITS: u32 = 32;
/// No machine has higher numbers of CPUs or NUMA nodes; a larger number is damage, not a set to allocate.
pub const NUMBER_MAX: u32 = 1 << 16;
const WORDS_MAX: usize = (NUMBER_MAX / WORD_BITS) as usize;

/// Reads `00000000,0000000f` or hwloc's `0x0000000f`, which omits words of zeros between its commas.
pub fn parse(text: &str) -> Option<CpuSet> {
    let words: Vec<&str> = text.trim().split(',').collect();
    if words.len() > WORDS_MAX || words[0].is_empty() {
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

/// Returns the words of a mask, the highest first; at least one.
pub fn words(numbers: impl IntoIterator<Item = u32>) -> Vec<u32> {
    let mut words = vec![0_u32];
    for number in numbers {
        let word = (number / WORD_BITS) as usize;
        words.resize(words.len().max(word + 1), 0);
        words[word] |= 1 << (number % WORD_BITS);
    }
    words.reverse();
    words
}

/// Writes a mask as the kernel takes it, such as `1,80000000`.
pub fn write(cpus: &CpuSet) -> String {
    let words = words(cpus.iter().map(|cpu| cpu.0));
    let rest = words[1..].iter().map(|word| format!(",{word:08x}"));
    std::iter::once(format!("{:x}", words[0])).chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_of_kernel_and_hwloc() {
        for (mask, list, written) in [
            ("0000,0000003f\n", "0-5", "3f"),
            ("fc00,00000000", "42-47", "fc00,00000000"),
            ("0xf,,0x0000ffff", "0-15,64-67", "f,00000000,0000ffff"),
            ("0x0", "", "0"),
            ("3", "0-1", "3"),
            ("ffffffff", "0-31", "ffffffff"),
            ("1,80000000", "31-32", "1,80000000"),
        ] {
            let cpus = parse(mask).unwrap();
            assert_eq!((cpus.to_string().as_str(), write(&cpus).as_str()), (list, written), "{mask}");
        }
        for mask in ["", ",", ",1", "x", "0xf...f", "12345678901", "0-3", "-1"] {
            assert_eq!(parse(mask), None, "{mask}");
        }
    }
}
