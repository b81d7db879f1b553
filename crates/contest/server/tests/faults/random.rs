//! Draws that a seed repeats.

/// A generator (SplitMix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }
}

/// Returns the seed: another one each time, or the one in `TAUTOCHRONE_SEED`. It is printed.
pub fn seed() -> u64 {
    let chosen = std::env::var("TAUTOCHRONE_SEED").ok().and_then(|text| text.parse().ok());
    let seed = chosen.unwrap_or_else(|| u64::from(std::process::id()));
    eprintln!("TAUTOCHRONE_SEED={seed}");
    seed
}
