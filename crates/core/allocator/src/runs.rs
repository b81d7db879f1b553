//! Chooses cores of a cell so that neighbours stay together.

use std::ops::Range;

/// Takes cores of a cell: all from the shortest gap that holds them, otherwise from as few whole gaps as possible.
///
/// `is_free` returns whether a core may be taken; at least `count` of them must be free.
pub(crate) fn take(
    cores: Range<usize>,
    mut count: usize,
    is_free: impl Fn(usize) -> bool,
    taken: &mut Vec<u32>,
) {
    let mut gaps = gaps(cores, is_free);
    while count > 0 {
        // Of equal gaps the last: the lowest CPUs serve most interrupts.
        let holds =
            (0..gaps.len()).rev().filter(|at| gaps[*at].len() >= count).min_by_key(|at| gaps[*at].len());
        let next = holds.or_else(|| (0..gaps.len()).max_by_key(|at| gaps[*at].len()));
        let gap = gaps.remove(next.expect("as many cores are free as are taken"));
        let size = gap.len().min(count);
        taken.extend((gap.end - size..gap.end).map(|core| core as u32));
        count -= size;
    }
}

pub(crate) fn gaps(cores: Range<usize>, is_free: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
    let mut gaps: Vec<Range<usize>> = Vec::new();
    for core in cores.filter(|core| is_free(*core)) {
        match gaps.last_mut() {
            Some(last) if last.end == core => last.end = core + 1,
            _ => gaps.push(core..core + 1),
        }
    }
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_stay_together() {
        for (cell, count, expect) in [
            ("..x...x..", 2, "..x...x**"),
            ("..x...x.x", 1, "..x...x*x"),
            ("..x...x..", 3, "..x***x.."),
            ("....x....", 2, "....x..**"),
            ("..x...x..", 5, "..x***x**"),
            ("..x...x..", 4, "..x***x.*"),
            (".x.x.", 3, "*x*x*"),
        ] {
            let mut taken = Vec::new();
            take(0..cell.len(), count, |core| cell.as_bytes()[core] == b'.', &mut taken);
            let mut shown: Vec<u8> = cell.bytes().collect();
            for core in &taken {
                shown[*core as usize] = b'*';
            }
            assert_eq!(String::from_utf8(shown).unwrap(), expect);
        }
    }
}
