//! The examples of the guide, each with its explanation.

use super::{lines, policy};
use placement::policy::{Policy, describe, read, summary};
use std::fmt::Write;

fn explained(policy: &Policy) -> String {
    let mut text = String::new();
    for section in describe(policy) {
        let _ = writeln!(text, "{}", section.title);
        section.sentences.iter().for_each(|sentence| {
            let _ = writeln!(text, "  {sentence}");
        });
    }
    text
}

#[test]
fn an_evening_of_best_effort() {
    insta::assert_snapshot!(explained(&policy(include_str!("../../../../../docs/examples/policies/evening.yaml"))), @"
    What the pools promise
      Pool 'builds' takes standard jobs; together they may request up to 100 % of the memory, and standard jobs up to 150 % of the CPUs.
      Pool 'judging' takes standard and best-effort jobs; together they may request up to 100 % of the memory, and standard jobs up to 200 % of the CPUs.
      Every other pool takes strict, standard and best-effort jobs; together they may request up to 100 % of the memory, and standard jobs up to 100 % of the CPUs that strict jobs leave.
      A strict job has whole cores of its own; strict jobs never get more than the host has.
    What is predicted
      From the loads seen in windows of 10 min, the mean and the peak of the next 2 h are predicted; in 5 % of the windows the load may be above the predicted peak.
    Which hosts pass
      Those that have what the job needs, and keep what their pool promises.
      For a job of best effort, the predicted mean of standard jobs and best effort is at most 90 % of the CPUs that strict jobs leave.
    Which of them a job gets
      Up to 8 hosts of each kind that pass get a score, and the job goes to the highest.
      The score is 75 % for many requested CPUs (packed) and 25 % for a low predicted mean (low-mean).
    When jobs move
      Never, not even off hosts that are drained.
    While predictions are stale
      Without an observation for 1 h the policy 'pack' decides, with the same pools, and no job moves.
      Up to 8 hosts of each kind that pass get a score, and the job goes to the highest.
      The score is 100 % for many requested CPUs (packed).
    ");
}

#[test]
fn timed_judging() {
    insta::assert_snapshot!(explained(&policy(include_str!("../../../../../docs/examples/policies/timed.yaml"))), @"
    What the pools promise
      Pool 'judging' takes strict jobs; together they may request up to 100 % of the memory.
      Pool 'tools' takes standard and best-effort jobs; together they may request up to 100 % of the memory, and standard jobs up to 100 % of the CPUs.
      Every other pool takes strict, standard and best-effort jobs; together they may request up to 100 % of the memory, and standard jobs up to 100 % of the CPUs that strict jobs leave.
      A strict job has whole cores of its own; strict jobs never get more than the host has.
    What is predicted
      Nothing: what jobs request decides alone.
    Which hosts pass
      Those that have what the job needs, and keep what their pool promises.
    Which of them a job gets
      All hosts that pass get a score, and the job goes to the highest.
      The score is 66.7 % for low noise (quiet), 22.2 % for a low price (cheap) and 11.1 % for few jobs of the same service (few-of-service).
    When jobs move
      Never, not even off hosts that are drained.
    ");
}

#[test]
fn a_web_cluster() {
    insta::assert_snapshot!(explained(&policy(include_str!("../../../../../docs/examples/policies/web.yaml"))), @"
    What the pools promise
      Pool 'database' takes strict and standard jobs; together they may request up to 100 % of the memory, and standard jobs up to 100 % of the CPUs that strict jobs leave.
      Pool 'default' takes standard and best-effort jobs; together they may request up to 100 % of the memory, and standard jobs up to 150 % of the CPUs.
      Every other pool takes strict, standard and best-effort jobs; together they may request up to 100 % of the memory, and standard jobs up to 100 % of the CPUs that strict jobs leave.
      A strict job has whole cores of its own; strict jobs never get more than the host has.
    What is predicted
      From the loads seen in windows of 5 min, the mean and the peak of the next 1 d are predicted; in 2 % of the windows the load may be above the predicted peak.
    Which hosts pass
      Those that have what the job needs, and keep what their pool promises.
      With the job, the predicted peak of standard jobs is at most 75 % of the CPUs that strict jobs leave.
      With the job, the predicted mean of standard jobs is at most 60 % of the CPUs that strict jobs leave.
      For a job of best effort, the predicted mean of standard jobs and best effort is at most 90 % of the CPUs that strict jobs leave.
    Which of them a job gets
      Up to 8 hosts of each kind that pass get a score, and the job goes to the highest.
      The score is 50 % for a low predicted peak (low-peak), 37.5 % for few jobs of the same service (few-of-service) and 12.5 % for a low predicted mean (low-mean).
    When jobs move
      Every 5 min, jobs leave hosts that are drained or hot: with a predicted peak above 80 % of the CPUs that strict jobs leave.
      A hot host is relieved until it is at 65 %, and none gets more than 65 % by moves.
      At most 10 jobs move in a round, and each rests for 4 h then.
      A move stops a job for 100 ms for each GiB of its memory; only best-effort jobs may be stopped for longer than 2 s.
      A host with a predicted mean below 15 % of its CPUs is emptied if all its jobs find another place.
      Jobs do not move to another cluster.
    While predictions are stale
      Without an observation for 30 min the policy 'careful' decides, with the same pools, and no job moves.
      Up to 8 hosts of each kind that pass get a score, and the job goes to the highest.
      The score is 66.7 % for few requested CPUs (free) and 33.3 % for few jobs of the same service (few-of-service).
    ");
}

#[test]
fn built_in_policies_are_summed_up() {
    let all = Policy::BUILT_IN.map(|name| format!("{name}: {}", summary(&Policy::built_in(name).unwrap())));
    insta::assert_snapshot!(all.join("\n"), @"
    first-fit: the first host that passes
    spread: the best of up to 8 of each kind that pass: free 100 %
    pack: the best of up to 8 of each kind that pass: packed 100 %
    best-fit: the best of all that pass: best-fit 100 %
    dot-product: the best of all that pass: dot-product 100 %
    load-aware: the best of up to 8 of each kind that pass: low-peak 75 %, low-mean 25 %; jobs move off hot hosts
    ");
}

#[test]
fn the_guide_shows_what_is_read() {
    let guide = include_str!("../../../../../docs/policies.md");
    let examples: Vec<&str> =
        guide.split("```yaml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert!(!examples.is_empty());
    for example in examples {
        if let Err(mistakes) = read(example) {
            panic!("{example}\n{}", lines(&mistakes));
        }
    }
}
