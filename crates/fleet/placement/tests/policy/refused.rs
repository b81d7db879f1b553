//! What is refused, and what is warned of.

use super::{good, lines};
use placement::policy::read;

#[track_caller]
fn refused(text: &str, expected: &str) {
    let mistakes = read(text).expect_err(text);
    assert_eq!(lines(&mistakes).trim_end(), expected, "{text}");
}

#[track_caller]
fn warned(text: &str, expected: &str) {
    assert_eq!(lines(&good(text).warnings).trim_end(), expected, "{text}");
}

/// A policy that extends `load-aware`.
fn aware(rest: &str) -> String {
    format!("policy: p\nextends: load-aware\n{rest}\n")
}

#[test]
fn malformed_policy_is_reported() {
    refused("", "FILE:1: is nothing, expected a policy; begin with 'policy: NAME'");
    refused(
        "- policy: p\n",
        "FILE:1: is a list, expected a map of keys and values; write one 'key: value' on each line",
    );
    refused("policies: []\n", "FILE:1: policies: has no policies, expected at least one; add one");
    refused("candidates: 8\n", "FILE:1: policy: is missing, expected the policy's name; add 'policy: NAME'");
    let mistakes = read("policy: [\n").unwrap_err();
    assert!(lines(&mistakes).starts_with("FILE:1: is not valid YAML: "), "{}", lines(&mistakes));
    let many: String = (0..101).map(|index| format!("- policy: p{index}\n")).collect();
    refused(
        &format!("policies:\n{many}"),
        "FILE:1: policies: has 101 policies, expected at most 100; use several files",
    );
}

#[test]
fn all_mistakes_are_named_with_their_lines() {
    insta::assert_snapshot!(
        lines(
            &read(
                "policy: none
extend: spread
pools:
  fast: { levels: [strikt, standard], cpu: 200%, memory: 2.5 }
  slow: { levels: [standard, standard] }
  never: { levels: [] }
limits: { peak: 0.8125, mean: 1.5, peek: 0.5 }
prefer: { low-peek: 3, free: 0, packed: 101 }
candidates: 0
prediction: { window: 5 min, risk: 0.6, stale-after: 31d }
rescheduling: { every: 10, between-clusters: 'no', moves: 1.5 }
fallback: [spread]
"
            )
            .unwrap_err()
        ),
        @"
    FILE:1: policy: is 'none', expected a name of up to 64 letters, digits, '.', '_' and '-' that begins with a letter and is not none, all, null, true, false; choose another name
    FILE:4: pools.fast.cpu: is '200%', expected a number from 0.001 to 10.0; write at most three decimals and no unit, such as 0.8 for 80 %
    FILE:4: pools.fast.levels[0]: is 'strikt', expected one of strict, standard, best-effort; did you mean 'strict'?
    FILE:4: pools.fast.memory: is 2.5, expected a number from 0.001 to 2.0; lower it
    FILE:5: pools.slow.levels[1]: is 'standard' once more, expected each level once; remove it
    FILE:6: pools.never.levels: is empty, so that the pool takes no job, expected at least one level; name one of strict, standard, best-effort
    FILE:7: limits.mean: is 1.5, expected a number from 0.001 to 1.0; lower it
    FILE:7: limits.peak: is 0.8125, expected a number from 0.001 to 1.0; write at most three decimals and no unit, such as 0.8 for 80 %
    FILE:7: limits.peek: is not a known key; did you mean 'peak'?
    FILE:8: prefer.free: is 0, expected a whole number from 1 to 100; raise it
    FILE:8: prefer.low-peek: is not a known key; did you mean 'low-peak'?
    FILE:8: prefer.packed: is 101, expected a whole number from 1 to 100; lower it
    FILE:9: candidates: is 0, expected a whole number from 1 to 10000; raise it
    FILE:10: prediction.risk: is 0.6, expected a number from 0.001 to 0.5; lower it
    FILE:10: prediction.stale-after: is '31d', expected a time from 1s to 30d; lower it
    FILE:10: prediction.window: is '5 min', expected a time from 1s to 1d; write a whole number with ms, s, m, h or d, such as 5m
    FILE:11: rescheduling.between-clusters: is 'no', expected true or false; write it without quotes
    FILE:11: rescheduling.every: is 10, expected a time from 1s to 30d; write a whole number with ms, s, m, h or d, such as 5m
    FILE:11: rescheduling.moves: is 1.5, expected a whole number from 1 to 100000; write digits alone, such as 8
    FILE:12: fallback: is a list, expected a text; put it in quotes if it is meant as a text
    FILE: 1 more errors are left out
    "
    );
}

#[test]
fn number_of_reported_mistakes_is_limited() {
    let keys: String = (0..50).map(|key| format!("key{key}: 1\n")).collect();
    let mistakes = read(&format!("policy: p\n{keys}")).unwrap_err();
    assert_eq!(mistakes.len(), 21);
    assert_eq!(lines(&mistakes[20..]), "FILE: 30 more errors are left out\n");
}

#[test]
fn extended_policies_are_looked_up() {
    refused(
        "policy: p\nextends: load-awre\n",
        "FILE:2: extends: is 'load-awre', expected a policy of this file or one of first-fit, spread, pack, best-fit, \
         dot-product, load-aware; did you mean 'load-aware'?",
    );
    refused(
        "policies:\n- { policy: a, extends: b }\n- { policy: b, extends: c }\n- { policy: c, extends: b }\n",
        "FILE:3: policies[1].extends: makes the circle b -> c -> b, expected an end; let one of them extend a built-in \
         policy or nothing",
    );
    refused(
        "policy: a\nextends: a\n",
        "FILE:2: extends: makes the circle a -> a, expected an end; let one of them extend a built-in policy or nothing",
    );
    refused(
        "policies:\n- policy: a\n- policy: a\n",
        "FILE:3: policies[1].policy: is 'a', which line 2 has too, expected a new name; rename one of them",
    );
    refused(
        "policy: spread\nprefer: { cheap: 1 }\n",
        "FILE:1: policy: is 'spread', which is another policy and built in; choose another name",
    );
}

#[test]
fn contradictions_are_refused() {
    for (rest, expected) in [
        (
            "rescheduling: { cool: 0.8 }",
            "FILE:3: rescheduling.cool: is 0.8, expected less than hot, which is 0.8, since jobs go to and fro \
             otherwise; lower cool or raise hot",
        ),
        (
            "rescheduling: { empty-below: 0.7 }",
            "FILE:3: rescheduling.empty-below: is 0.7, expected less than cool, which is 0.7, since what cooled down is \
             emptied otherwise; lower it",
        ),
        (
            "rescheduling: { every: 1m }",
            "FILE:3: rescheduling.every: is 1m, shorter than the window of 5m, and nothing new is known before, expected \
             at least one window; raise it or shorten the window",
        ),
        (
            "prediction: { window: 10m }",
            "FILE:3: rescheduling.every: is 5m, shorter than the window of 10m, and nothing new is known before, \
             expected at least one window; raise it or shorten the window",
        ),
        (
            "prediction: { horizon: 4m }",
            "FILE:3: prediction.horizon: is 4m, shorter than the window of 5m, expected at least one window; raise it \
             or shorten the window",
        ),
        (
            "prediction: { stale-after: 5m }",
            "FILE:3: prediction.stale-after: is 5m, not longer than the window of 5m, so that predictions are always \
             stale, expected more; raise it or shorten the window",
        ),
        (
            "prefer: { free: 1, packed: 1 }",
            "FILE:3: prefer.packed: is given with prefer.free, and each undoes the other, expected one of them; remove \
             the other",
        ),
        ("fallback: p", "FILE:3: fallback: is 'p' itself, expected another policy; use spread"),
        (
            "fallback: load-aware",
            "FILE:3: fallback: is 'load-aware', which uses predictions itself, expected a policy that uses requests \
             alone; use spread, or write 'prediction: none' there",
        ),
        (
            "fallback: sprad",
            "FILE:3: fallback: is 'sprad', expected a policy of this file or one of first-fit, spread, pack, best-fit, \
             dot-product, load-aware; did you mean 'spread'?",
        ),
    ] {
        refused(&aware(rest), expected);
    }
    refused(
        "policy: p\nextends: none\nprediction: yes\nfallback: spread\n",
        "FILE:3: prediction: is 'yes', expected a map of keys and values; write one 'key: value' on each line",
    );
    refused(
        &format!("policy: p\nextends: {}\n", "spread".repeat(100_000)),
        &format!(
            "FILE:2: extends: is '{}...', expected a policy of this file or one of first-fit, spread, pack, best-fit, \
             dot-product, load-aware; use one of them",
            "spread".repeat(10)
        ),
    );
    refused(
        "policy: p\nfallback: spread\n",
        "FILE:2: fallback: is given, but there is no prediction that could be stale; remove it, or add 'prediction'",
    );
}

#[test]
fn settings_that_need_predictions_are_refused_without() {
    refused(
        &aware("prediction: none"),
        "FILE:3: limits.best-effort: needs predictions, and there are none; add 'prediction', or write 'limits: none'\n\
         FILE:3: limits.mean: needs predictions, and there are none; add 'prediction', or write 'limits: none'\n\
         FILE:3: limits.peak: needs predictions, and there are none; add 'prediction', or write 'limits: none'\n\
         FILE:3: prefer.low-mean: needs predictions, and there are none; add 'prediction', or write 'prefer: { free: 1 }'\n\
         FILE:3: prefer.low-peak: needs predictions, and there are none; add 'prediction', or write 'prefer: { free: 1 }'\n\
         FILE:3: rescheduling: needs predictions, and there are none; add 'prediction', or write 'rescheduling: none'",
    );
    refused(
        "policy: p\nlimits:\n  peak: 0.5\n",
        "FILE:3: limits.peak: needs predictions, and there are none; add 'prediction', or write 'limits: none'",
    );
}

#[test]
fn inherited_mistakes_are_reported_once() {
    refused(
        "policies:\n- { policy: a, extends: load-aware, fallback: a }\n- { policy: b, extends: a }\n\
         - { policy: c, rescheduling: { hot: 0.5 } }\n- { policy: d, extends: c }\n",
        "FILE:2: policies[0].fallback: is 'a' itself, expected another policy; use spread\n\
         FILE:4: policies[2].rescheduling: needs predictions, and there are none; add 'prediction', or write \
         'rescheduling: none'",
    );
}

#[test]
fn surprising_settings_are_warned_of() {
    for (rest, expected) in [
        (
            "pools: { fast: { levels: [strict], cpu: 2.0 } }",
            "FILE:3: pools.fast.cpu: has no effect, since only standard jobs share CPUs by request and the pool takes \
             none",
        ),
        (
            "pools: { fast: { memory: 1.2 } }",
            "FILE:3: pools.fast.memory: is 1.2: jobs that use all the memory they request are ended when the host has \
             no more",
        ),
        (
            "limits: { mean: 0.8 }",
            "FILE:3: limits.mean: is 0.8, which never decides: a mean is not above its peak, which is limited to 0.8",
        ),
        (
            "prefer: { free: 1, best-fit: 2 }",
            "FILE:3: prefer.best-fit: prefers full hosts and prefer.free empty ones; the greater weight decides",
        ),
        (
            "prefer: { packed: 2, low-peak: 1 }",
            "FILE:3: prefer.packed: prefers hosts with many requests and prefer.low-peak those with little load; the greater \
             weight decides",
        ),
        (
            "prefer: none\ncandidates: 9",
            "FILE:4: candidates: has no effect, since nothing is preferred and the first host is used",
        ),
        (
            "limits: none\nprefer: none\nrescheduling: none\nprediction: {}",
            "FILE:6: prediction: decides nothing, since no limit, preference or move uses it; 'prediction: none' is the \
             same",
        ),
        (
            "rescheduling: { rest: 0s }",
            "FILE:3: rescheduling.rest: is 0ms, so that a job may move in each round",
        ),
        (
            "rescheduling: { pause-max: 50ms }",
            "FILE:3: rescheduling.pause-max: is 50ms, so that only jobs of less than a GiB move, and those of best \
             effort",
        ),
        (
            "limits: { peak: 0.9 }",
            "FILE:3: rescheduling.hot: is 0.8, and jobs are placed up to limits.peak, which is 0.9, so that a new job can \
             make its host hot",
        ),
    ] {
        warned(&aware(rest), expected);
    }
    warned(
        "policies:\n- { policy: a, extends: load-aware, fallback: b }\n- { policy: b, pools: { fast: { cpu: 2.0 } } }\n",
        "FILE:2: policies[0].fallback: is 'b', whose pools are not used: what the pools of 'a' promise holds also while \
         predictions are stale",
    );
}
