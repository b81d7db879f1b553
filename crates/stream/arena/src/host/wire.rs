//! The board as a document.

use documents::{
    StreamAnswer, StreamBoard, StreamFairness, StreamGiven, StreamNumber, StreamPhase, StreamPoints,
    StreamRefusal, StreamRow,
};
use stream_rules::{Board, LastAnswer, MultipleOf, Row};

/// Converts a board.
pub fn board(board: &Board, phase: StreamPhase) -> StreamBoard {
    let rules = &board.rules;
    let spread = |at: usize| board.spread_percentiles_ns[at].map(i64::unsigned_abs);
    StreamBoard {
        at_ns: board.at_ns,
        phase,
        digits_max: rules.digits_max,
        multiples_of: rules.multiples_of.iter().map(number).collect(),
        before_ms: rules.prediction.then_some(rules.before_ms),
        after_ms: rules.after_ms,
        cost: rules.cost,
        factor: rules.factor_at(board.at_ns),
        rows: board.rows.iter().map(row).collect(),
        last: board.last.iter().map(answer).collect(),
        digits: board.digits,
        answers: board.answers,
        missed: board.missed,
        fairness: StreamFairness {
            clients: board.clients,
            last_ns: board.spread_ns,
            p50_ns: spread(1),
            p90_ns: spread(2),
            p99_ns: spread(3),
        },
        refused: board
            .refused
            .iter()
            .map(|(reason, count)| StreamRefusal { reason: reason.clone(), count: *count })
            .collect(),
    }
}

fn number(number: &MultipleOf) -> StreamNumber {
    StreamNumber { value: (!number.hidden).then(|| number.value.clone()), primes: number.primes.clone() }
}

fn row(row: &Row) -> StreamRow {
    let [p10_ns, p50_ns, p90_ns, p99_ns] = row.percentiles_ns;
    StreamRow {
        name: row.name.clone(),
        score: row.score,
        by_points: row
            .by_points
            .iter()
            .map(|(points, count)| StreamPoints { points: *points, count: *count })
            .collect(),
        beyond: row.beyond,
        late: row.late,
        wrong: row.wrong,
        duplicate: row.duplicate,
        malformed: row.malformed,
        early: row.early,
        submitted: row.submitted,
        p10_ns,
        p50_ns,
        p90_ns,
        p99_ns,
        mean_ns: row.mean_ns,
        deviation_ns: row.deviation_ns,
        ping_ns: row.ping_ns,
        growth: row.growth.clone(),
        latency_curve_ns: row.curve_ns.clone(),
    }
}

fn answer(answer: &LastAnswer) -> StreamAnswer {
    let given = answer.given.iter().map(|given| StreamGiven {
        name: given.name.clone(),
        latency_ns: given.latency_ns,
        points: given.points,
    });
    StreamAnswer {
        digits: answer.shown(),
        length: answer.text.len() as u16,
        multiple_of: answer.numbers.iter().map(|number| number + 1).collect(),
        at_ns: answer.at_ns,
        given: given.collect(),
    }
}
