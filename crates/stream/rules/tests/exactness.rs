//! One suite for all rungs of the ladder: each finds exactly what brute force finds, on random and adversarial streams, however the
//! digits are cut into chunks.
#![allow(clippy::unwrap_used, clippy::disallowed_macros)]

use num_bigint::BigUint;
use num_traits::Zero;
use stream_rules::solve::{Match, Method, Problem, Solver};
use stream_rules::{Generator, Instructions, MultipleOf, Rules};

const CHUNKS: [usize; 6] = [1, 7, 64, 257, 300, 512];

fn rules(numbers: &[&str], digits_max: u16) -> Rules {
    let known = Rules::default().multiples_of;
    let number = |value: &&str| {
        let default = known.iter().find(|number| number.value == **value).cloned();
        default.unwrap_or(MultipleOf { value: (*value).to_owned(), hidden: false, primes: Vec::new() })
    };
    let rules = Rules { digits_max, multiples_of: numbers.iter().map(number).collect(), ..Rules::default() };
    rules.check().unwrap();
    rules
}

fn source() -> Rules {
    Rules::default()
}

/// Divides every substring: independent of all solvers.
fn brute_force(rules: &Rules, digits: &[u8]) -> Vec<Match> {
    let mut all = Vec::new();
    for (number, of) in rules.multiples_of.iter().enumerate() {
        let value = of.number();
        for start in (0..digits.len()).filter(|start| digits[*start] != b'0') {
            let mut remainder = BigUint::zero();
            let end = digits.len().min(start + usize::from(rules.digits_max));
            for (at, digit) in digits[start..end].iter().enumerate() {
                remainder = (remainder * 10_u8 + (digit - b'0')) % &value;
                if remainder.is_zero() {
                    all.push(Match {
                        end: (start + at + 1) as u64,
                        length: at as u16 + 1,
                        number: number as u8,
                    });
                }
            }
        }
    }
    all.sort();
    all
}

fn solve(solver: &mut dyn Solver, digits: &[u8], chunk: usize, prepares: bool) -> Vec<Match> {
    let mut all = Vec::new();
    for chunk in digits.chunks(chunk) {
        if prepares {
            solver.prepare();
        }
        solver.take(chunk, &mut |found, text| {
            assert_eq!(text, &digits[found.end as usize - usize::from(found.length)..found.end as usize]);
            all.push(found);
        });
    }
    all.sort();
    all
}

/// Checks all rungs but the slowest at all sizes of chunks, and the slowest at one.
fn check(name: &str, rules: &Rules, digits: &[u8]) -> usize {
    let expect = brute_force(rules, digits);
    let problem = Problem::new(rules);
    for (rung, method) in Method::LADDER.into_iter().enumerate() {
        let chunks = if rung < 2 { &CHUNKS[4..5] } else { &CHUNKS[..] };
        for chunk in chunks {
            let found = solve(method.solver(&problem).as_mut(), digits, *chunk, chunk % 2 == 0);
            assert!(
                found == expect,
                "{name}: {} in chunks of {chunk}: {}",
                method.name(),
                difference(&found, &expect)
            );
        }
    }
    for instructions in [Instructions::Avx512, Instructions::Avx2, Instructions::Portable] {
        if !instructions.is_there() {
            eprintln!("not tested: this processor has no {}", instructions.name());
            continue;
        }
        for method in [Method::Simd, Method::Factor, Method::FixedPoint] {
            let mut solver = method.solver_with(&problem, instructions);
            let found = solve(solver.as_mut(), digits, 300, true);
            assert!(found == expect, "{name}: {} with {}", method.name(), instructions.name());
        }
    }
    eprintln!("{name}: {} multiples in {} digits", expect.len(), digits.len());
    expect.len()
}

fn difference(found: &[Match], expect: &[Match]) -> String {
    let missing = expect.iter().find(|one| !found.contains(one));
    let surplus = found.iter().find(|one| !expect.contains(one));
    format!("{} found, {} expected; missing {missing:?}, surplus {surplus:?}", found.len(), expect.len())
}

fn planted(rules: &Rules, seed: u64, count: usize) -> Vec<u8> {
    let mut generator = Generator::new(rules, seed);
    let mut digits = Vec::new();
    while digits.len() < count {
        digits.extend(generator.chunk().digits);
    }
    digits
}

/// A multiple with exactly `length` digits.
fn multiple(value: &BigUint, length: u32) -> String {
    let most = BigUint::from(10_u8).pow(length) - 1_u8;
    (&most - &most % value).to_string()
}

#[test]
fn streams_of_the_source() {
    for seed in 1..=3 {
        let rules = source();
        assert!(check("planted", &rules, &planted(&rules, seed, 4000)) > 5);
    }
}

#[test]
fn the_sample_of_the_source() {
    let rules = rules(&["823", "108"], 6);
    let digits = b"123456789987654321";
    let problem = Problem::new(&rules);
    let mut texts = Vec::new();
    Method::FixedPoint.solver(&problem).take(digits, &mut |_, text| {
        texts.push(String::from_utf8(text.to_vec()).unwrap());
    });
    texts.sort();
    assert_eq!(texts, ["12345", "3456", "432", "9876"]);
    check("sample", &rules, digits);
}

#[test]
fn small_numbers_that_everything_hits() {
    let digits = planted(&source(), 11, 700);
    for numbers in
        [&["2"][..], &["3"], &["10"], &["7", "49", "343"], &["1024"], &["100"], &["96"], &["15625", "30"]]
    {
        check(&numbers.join(" "), &rules(numbers, 40), &digits);
    }
}

#[test]
fn more_numbers_than_a_vector_has() {
    let numbers = ["823", "108", "1000003", "64", "999", "20220217214410", "7"];
    check("seven numbers", &rules(&numbers, 64), &planted(&rules(&numbers, 64), 5, 1500));
}

#[test]
fn wide_numbers_without_known_factors() {
    let wide = (BigUint::from(10_u8).pow(149) + 7_u8).to_string();
    let digits_of_three = (BigUint::from(7_u8).pow(222) * 2_u8).to_string();
    let numbers = [wide.as_str(), "104648257118348370704723119", &digits_of_three[..67]];
    let rules = rules(&numbers, 256);
    assert!(check("wide", &rules, &planted(&rules, 6, 4000)) > 3);
}

#[test]
fn runs_of_zeros() {
    let rules = source();
    let value = rules.multiples_of[0].number();
    let zeros = |count: usize| "0".repeat(count);
    let one = multiple(&value, 30);
    let mut digits = zeros(600);
    for count in [1, 100, 225, 226, 227, 300] {
        digits += &format!("{one}{}", zeros(count));
    }
    digits += &format!("5{}7", zeros(400));
    assert!(check("zeros", &rules, digits.as_bytes()) > 600);
    check("zeros only", &rules, zeros(2000).as_bytes());
}

#[test]
fn multiples_behind_each_other() {
    let rules = source();
    let mut digits = String::new();
    for of in &rules.multiples_of {
        let value = of.number();
        for length in [71, 80, 72, 75] {
            digits += &multiple(&value, length);
        }
        digits += &value.to_string().repeat(9);
    }
    assert!(check("adjacent", &rules, digits.as_bytes()) > 60);
}

#[test]
fn multiples_of_several_numbers() {
    let rules = source();
    let numbers: Vec<BigUint> = rules.multiples_of.iter().map(|of| of.number()).collect();
    let mut digits = String::from("7");
    for pair in numbers.windows(2) {
        digits += &multiple(&(&pair[0] * &pair[1]), 200);
        digits += "3";
    }
    digits += &multiple(&numbers.iter().product(), 230);
    assert!(check("several", &rules, digits.as_bytes()) >= 10);
}

#[test]
fn the_shortest_and_the_longest() {
    let rules = source();
    let mut digits = String::new();
    for of in &rules.multiples_of {
        for length in [of.value.len() as u32, 255, 256, 257] {
            digits += &format!("1{}3", multiple(&of.number(), length));
        }
    }
    let found = brute_force(&rules, digits.as_bytes());
    assert!([255, 256].iter().all(|length| found.iter().any(|one| one.length == *length)));
    check("lengths", &rules, digits.as_bytes());
    check("one digit", &self::rules(&["2", "5"], 1), digits.as_bytes());
    check("the longest", &self::rules(&["823"], 1024), &digits.as_bytes()[..1500]);
}

#[test]
fn weights_begin_anew_while_a_multiple_comes() {
    // The tables of fixed-point fractions end at 4096 places, wherever a chunk is.
    let rules = source();
    let value = rules.multiples_of[1].number();
    let filler = planted(&source(), 77, 4200);
    for shift in [0, 100, 255] {
        let mut digits = filler[..3840 + shift].to_vec();
        digits.extend(multiple(&value, 256).bytes());
        digits.extend(filler[..3600].iter());
        digits.extend(multiple(&value, 200).bytes().chain("000".bytes()));
        let problem = Problem::new(&rules);
        let expect = brute_force(&rules, &digits);
        for method in [Method::Tables, Method::FixedPoint] {
            for (chunk, prepares) in [(1, false), (1, true), (300, false), (300, true), (7000, false)] {
                let found = solve(method.solver(&problem).as_mut(), &digits, chunk, prepares);
                assert!(
                    found == expect,
                    "{} {chunk} {prepares}: {}",
                    method.name(),
                    difference(&found, &expect)
                );
            }
        }
    }
}

#[test]
fn predictions_are_multiples_that_begin_as_the_stream_ends() {
    let rules = source();
    let problem = Problem::new(&rules);
    let digits = planted(&rules, 9, 40_000);
    let mut solver = Method::Prediction.solver(&problem);
    let mut predicted: Vec<(usize, Vec<u8>)> = Vec::new();
    let mut at = 0;
    for chunk in digits.chunks(40) {
        solver.prepare();
        solver.take(chunk, &mut |_, _| {});
        at += chunk.len();
        solver.predict(&mut |text| {
            let value = BigUint::parse_bytes(text, 10).unwrap();
            assert!(rules.multiples_of.iter().any(|of| (&value % of.number()).is_zero()));
            assert!(text.len() <= 256);
            predicted.push((at, text.to_vec()));
        });
    }
    let (mut comes, mut fails) = (0, 0);
    for (at, text) in &predicted {
        let begins = (1..text.len()).rev().find(|known| digits[..*at].ends_with(&text[..*known])).unwrap();
        let rest = &text[begins..];
        if digits.len() >= at + rest.len() {
            if digits[*at..].starts_with(rest) { comes += 1 } else { fails += 1 }
        }
    }
    // A tenth of what is planted differs in one digit.
    assert!(comes > 50 && fails * 3 < comes, "{comes} come true, {fails} do not");
}
