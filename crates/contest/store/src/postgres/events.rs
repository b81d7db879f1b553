//! The log's events: reading and checking them, and chaining those of an earlier schema.

use super::connect::Session;
use super::{GenericClient, failed, integer};
use crate::chain::{self, Check};
use crate::{StoreError, StoredEvent};

/// As many events are checked in one statement: well within its time-out.
const CHECKED: i64 = 100_000;

/// Returns up to `max` events after event `after`, each of which is what was written, and the last event of the log.
pub fn after(session: &mut Session, after: u64, max: usize) -> Result<(Vec<StoredEvent>, i64), StoreError> {
    let read = "SELECT seq, body, hash FROM event WHERE seq > $1 ORDER BY seq LIMIT $2";
    let rows = session.query("read events", read, &[&integer(after), &integer(max as u64)])?;
    let before = "SELECT head, (SELECT hash FROM event WHERE seq = $1) FROM writer";
    let before = session.query("read events", before, &[&integer(after)])?;
    let (head, hash) = before.first().map_or((0, None), |row| (row.get(0), row.get::<_, Option<&[u8]>>(1)));
    let link = match (hash, rows.first()) {
        (Some(hash), _) => chain::stored(hash, after)?,
        (None, Some(row)) if after > 0 => {
            return Err(chain::missing(after, row.get::<_, i64>(0) as u64));
        }
        (None, _) => chain::START,
    };
    let mut check = Check::after(after, link);
    let mut events = Vec::with_capacity(rows.len());
    for row in &rows {
        let (seq, body, hash) = (row.get::<_, i64>(0) as u64, row.get::<_, String>(1), row.get(2));
        check.next(seq, body.as_bytes(), hash)?;
        events.push(StoredEvent { seq, body });
    }
    Ok((events, head))
}

/// Checks all events, and that the last that was written is there. The database computes the hashes: the log need not come
/// over the network.
pub fn check_all(session: &mut Session) -> Result<(), StoreError> {
    let select = "SELECT head, (SELECT coalesce(max(seq), 0) FROM event) FROM writer";
    let rows = session.query("check the events", select, &[])?;
    let (head, last): (i64, i64) = rows.first().map_or((0, 0), |row| (row.get(0), row.get(1)));
    let changed = "SELECT event.seq, before.seq IS NULL AND event.seq > 1
         FROM event LEFT JOIN event AS before ON before.seq = event.seq - 1
         WHERE event.seq > $1 AND event.seq <= $2 AND event.hash IS DISTINCT FROM
             sha256(coalesce(before.hash, $3) || int8send(event.seq) || convert_to(event.body, 'UTF8'))
         ORDER BY event.seq LIMIT 1";
    let mut from = 0;
    while from < last {
        let parameters: [&(dyn tokio_postgres::types::ToSql + Sync); 3] =
            [&from, &(from + CHECKED), &&chain::START[..]];
        let rows = session.query("check the events", changed, &parameters)?;
        if let Some(row) = rows.first() {
            let seq = row.get::<_, i64>(0) as u64;
            return Err(if row.get(1) { chain::missing(seq - 1, seq) } else { chain::changed(seq) });
        }
        from += CHECKED;
    }
    chain::ends(last as u64, head as u64)
}

pub fn chain_all(client: &mut dyn GenericClient) -> Result<(), StoreError> {
    let failed = failed("chain the events");
    let (mut after, mut link) = (0_i64, chain::START);
    loop {
        let select = "SELECT seq, body FROM event WHERE seq > $1 ORDER BY seq LIMIT $2";
        let rows = client.query(select, &[&after, &i64::from(chain::PAGE)]).map_err(&failed)?;
        if rows.is_empty() {
            return Ok(());
        }
        let (mut numbers, mut links) = (Vec::new(), Vec::new());
        for row in &rows {
            let (seq, body): (i64, &str) = (row.get(0), row.get(1));
            if seq != after + 1 {
                return Err(chain::missing(after as u64 + 1, seq as u64));
            }
            link = chain::link(&link, seq as u64, body.as_bytes());
            numbers.push(seq);
            links.push(link.to_vec());
            after = seq;
        }
        let update = "UPDATE event SET hash = new.hash
             FROM unnest($1::bigint[], $2::bytea[]) AS new (seq, hash) WHERE event.seq = new.seq";
        client.execute(update, &[&numbers, &links]).map_err(&failed)?;
    }
}
