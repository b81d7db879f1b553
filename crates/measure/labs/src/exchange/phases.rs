//! The phases at which injected detours begin; the MPI program draws the same.

/// Returns a phase from 0 to 1, as drawn for a rank and a source in a round.
pub fn phase(seed: u64, round: u64, source: u64, rank: u64) -> f64 {
    let drawn =
        [round, source, rank].into_iter().fold(mix(seed), |drawn, next| mix(drawn.wrapping_add(next)));
    (drawn >> 11) as f64 / (1_u64 << 53) as f64
}

/// splitmix64 (Steele, Lea, Flood 2014).
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_the_published_one() {
        // The first number of splitmix64 from the state 1234567.
        assert_eq!(mix(1_234_567), 6_457_827_717_110_365_317);
    }

    #[test]
    fn the_program_draws_the_same() {
        // The output of exchange.c for a seed of 1, round 0, source 0, rank 1.
        assert_eq!(phase(1, 0, 0, 1), 0.777_857_907_849_253_8);
    }

    #[test]
    fn phases_fill_the_range() {
        let mean = (0..10_000).map(|round| phase(7, round, 0, 3)).sum::<f64>() / 1e4;
        assert!((mean - 0.5).abs() < 0.01, "{mean}");
    }
}
