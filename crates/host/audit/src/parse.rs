//! Parses the text of a trace into events.
//!
//! A task can have almost any name, so the parser does not search for words that a name of 15 bytes could contain: the
//! name at the beginning of a line has its own 16 columns, and the one in a switch is found by the text around it,
//! which is longer than any name.

use memchr::memmem::{find, rfind};
use model::Nanos;

/// `trace_print_context` pads a task's name to this length, and `TASK_COMM_LEN` limits it.
const NAME_COLUMNS: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event<'t> {
    /// The time on the monotonic clock, in microseconds.
    pub time: Nanos,
    /// The task that was on the CPU; 0 is idle.
    pub task: u32,
    pub what: What<'t>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What<'t> {
    Switch {
        name: &'t [u8],
        /// Whether it could have continued.
        forced: bool,
        next: u32,
        next_name: &'t [u8],
    },
    Fork {
        child: u32,
    },
    Enter(Interruption<'t>),
    Leave(Interruption<'t>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Interruption<'t> {
    /// A device's interrupt; only its beginning has the name.
    Device { number: u32, name: &'t [u8] },
    /// One of the processor's own, such as `local_timer`.
    Local(&'t [u8]),
    Soft {
        number: u32,
        /// Its name, such as `TIMER`.
        name: &'t [u8],
    },
}

impl Event<'_> {
    /// Returns the time if the trace's clock is a counter: then the time is its count.
    pub fn ticks(&self) -> u64 {
        self.time.0
    }
}

impl Interruption<'_> {
    pub fn ends(&self, begin: &Self) -> bool {
        match (self, begin) {
            // The end of a device's interrupt does not have its name.
            (Self::Device { number, .. }, Self::Device { number: other, .. }) => number == other,
            _ => self == begin,
        }
    }
}

/// Iterates over the events of a trace; comments and other events are skipped.
pub fn events(text: &[u8]) -> impl Iterator<Item = Event<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let Some(head) = Head::read(rest) else {
                rest = after_line(rest)?;
                continue;
            };
            // A name may contain a newline: the event extends to the next one.
            let mut end = head.length;
            let tail = loop {
                let Some(newline) = find(&rest[end..], b"\n") else { break rest.len() };
                end += newline + 1;
                if Head::read(&rest[end..]).is_some() {
                    break end;
                }
            };
            let body = &rest[head.length..tail];
            rest = &rest[tail..];
            if let Some(what) = what(head.event, body, head.task) {
                return Some(Event { time: head.time, task: head.task, what });
            }
        }
    })
}

fn after_line(text: &[u8]) -> Option<&[u8]> {
    find(text, b"\n").map(|newline| &text[newline + 1..])
}

/// The beginning of each event: `            name-12      [001] d..2.   951.453346: event: `.
struct Head<'t> {
    task: u32,
    time: Nanos,
    event: &'t [u8],
    /// The number of bytes before the event's own text.
    length: usize,
}

impl<'t> Head<'t> {
    fn read(line: &'t [u8]) -> Option<Self> {
        let rest = line.get(NAME_COLUMNS..)?.strip_prefix(b"-")?;
        let (task, rest) = leading_number(rest)?;
        let rest = rest.trim_ascii_start();
        // The process, if another program has switched that column on globally.
        let rest = match rest.strip_prefix(b"(") {
            Some(rest) => rest[find(rest, b")")? + 1..].trim_ascii_start(),
            None => rest,
        };
        let (_, rest) = leading_number(rest.strip_prefix(b"[")?)?;
        // Four or five flags, depending on the kernel.
        let rest = rest.strip_prefix(b"] ")?;
        let rest = rest[find(rest, b" ")?..].trim_ascii_start();
        let (whole, rest) = leading_number(rest)?;
        // Seconds and microseconds, or a count without a point if the trace's clock is a counter.
        let (nanos, rest) = match rest.strip_prefix(b".") {
            Some(rest) => {
                let (micros, rest) = leading_number(rest)?;
                (whole.checked_mul(1_000_000)?.checked_add(micros)?.checked_mul(1_000)?, rest)
            }
            None => (whole, rest),
        };
        let rest = rest.strip_prefix(b": ")?;
        let colon = rest.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')?;
        let event = &rest[..colon];
        let body = rest[colon..].strip_prefix(b": ")?;
        Some(Self {
            task: u32::try_from(task).ok()?,
            time: Nanos(nanos),
            event,
            length: line.len() - body.len(),
        })
    }
}

fn what<'t>(event: &'t [u8], body: &'t [u8], task: u32) -> Option<What<'t>> {
    Some(match event {
        b"sched_switch" => return switch(body, task),
        b"sched_process_fork" => What::Fork { child: last_number(body, b" child_pid=")? },
        b"irq_handler_entry" => What::Enter(Interruption::Device {
            number: first_number(body, b"irq=")?,
            name: after(body, b" name=")?.split(|byte| *byte == b'\n').next()?,
        }),
        b"irq_handler_exit" => {
            What::Leave(Interruption::Device { number: first_number(body, b"irq=")?, name: b"" })
        }
        b"softirq_entry" => What::Enter(soft(body)?),
        b"softirq_exit" => What::Leave(soft(body)?),
        // ARM's messages between CPUs: `(Rescheduling interrupts)`.
        b"ipi_entry" => What::Enter(Interruption::Local(inside(body, b"(", b")")?)),
        b"ipi_exit" => What::Leave(Interruption::Local(inside(body, b"(", b")")?)),
        _ => match (event.strip_suffix(b"_entry"), event.strip_suffix(b"_exit")) {
            (Some(name), _) => What::Enter(Interruption::Local(name)),
            (_, Some(name)) => What::Leave(Interruption::Local(name)),
            _ => return None,
        },
    })
}

/// Reads `prev_comm=A prev_pid=1 prev_prio=120 prev_state=R+ ==> next_comm=B next_pid=2 next_prio=120`.
fn switch(body: &[u8], task: u32) -> Option<What<'_>> {
    const NEXT: &[u8] = b" ==> next_comm=";
    let rest = body.strip_prefix(b"prev_comm=")?;
    let after_name = format!(" prev_pid={task} prev_prio=");
    let name_end = find(rest, after_name.as_bytes())?;
    let name = &rest[..name_end];
    let rest = after(&rest[name_end..], b" prev_state=")?;
    let arrow = find(rest, NEXT)?;
    let forced = rest.starts_with(b"R");
    let rest = &rest[arrow + NEXT.len()..];
    let next_end = rfind(rest, b" next_pid=")?;
    Some(What::Switch {
        name,
        forced,
        next: first_number(&rest[next_end..], b" next_pid=")?,
        next_name: &rest[..next_end],
    })
}

fn soft(body: &[u8]) -> Option<Interruption<'_>> {
    Some(Interruption::Soft { number: first_number(body, b"vec=")?, name: inside(body, b"[action=", b"]")? })
}

fn inside<'t>(text: &'t [u8], open: &[u8], close: &[u8]) -> Option<&'t [u8]> {
    let rest = after(text, open)?;
    Some(&rest[..find(rest, close)?])
}

fn after<'t>(text: &'t [u8], mark: &[u8]) -> Option<&'t [u8]> {
    find(text, mark).map(|at| &text[at + mark.len()..])
}

fn first_number(text: &[u8], mark: &[u8]) -> Option<u32> {
    leading_number(after(text, mark)?).and_then(|(number, _)| u32::try_from(number).ok())
}

fn last_number(text: &[u8], mark: &[u8]) -> Option<u32> {
    let at = rfind(text, mark)?;
    leading_number(&text[at + mark.len()..]).and_then(|(number, _)| u32::try_from(number).ok())
}

pub(super) fn leading_number(text: &[u8]) -> Option<(u64, &[u8])> {
    let length = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let number = std::str::from_utf8(&text[..length]).ok()?.parse().ok()?;
    Some((number, &text[length..]))
}

/// Finds a number in a buffer's `stats`, such as `dropped events: 12`.
pub fn statistic(text: &str, name: &str) -> u64 {
    system::files::field(text, name).and_then(|value| value.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<Event<'_>> {
        events(text.as_bytes()).collect()
    }

    fn switch_line(head: &str, name: &str, next: &str) -> String {
        format!(
            "{head:>16}-7       [001] d..2.    12.000345: sched_switch: prev_comm={name} prev_pid=7 prev_prio=120 \
             prev_state=R+ ==> next_comm={next} next_pid=9 next_prio=120\n"
        )
    }

    #[test]
    fn flags_processes_and_lost_events_are_skipped() {
        for head in ["[001] d..2   ", "[001] d..2.  ", "(   7) [001] d..2. ", "[001] dN.2.  "] {
            let text = format!(
                "# tracer: nop\n#\nCPU:1 [LOST 3 EVENTS]\n              sh-7       {head} 12.000345: softirq_entry: vec=1 \
                 [action=TIMER]\nCPU:1 [LOST 12 EVENTS]\n"
            );
            let what = What::Enter(Interruption::Soft { number: 1, name: b"TIMER" });
            assert_eq!(all(&text), [Event { time: Nanos(12_000_345_000), task: 7, what }], "{head}");
        }
    }

    #[test]
    fn no_name_of_a_task_can_forge_an_event() {
        // Each is as long as the kernel allows, or shorter.
        let names = [
            " ==> next_comm=",
            " prev_pid=9 pre",
            " next_pid=1",
            "\n",
            "a\nb\nc",
            "-1      [000] ",
            "x: sched_switch",
            "[001] d..2.",
            "",
            "CPU:1 [LOST",
        ];
        for name in names {
            assert!(name.len() < NAME_COLUMNS, "{name}");
            let text = switch_line(name, name, name) + &switch_line("sh", "sh", "sh");
            let expected = |name: &'static str| What::Switch {
                name: name.as_bytes(),
                forced: true,
                next: 9,
                next_name: name.as_bytes(),
            };
            let read: Vec<_> = all(&text).into_iter().map(|event| event.what).collect();
            assert_eq!(read, [expected(name), expected("sh")], "{name:?}");
        }
    }

    #[test]
    fn malformed_text_is_skipped_without_a_panic() {
        let line = switch_line("sh", "sh", "true");
        for end in 0..line.len() - 1 {
            // A number that is cut off at the end is still a number; anything shorter is not a switch.
            assert!(all(&line[..end]).len() <= 1);
        }
        for text in ["", "\n", "#", "              sh-99999999999999999999 [001] d..2.  1.0: x: y"] {
            assert_eq!(all(text), [], "{text}");
        }
    }

    #[test]
    fn statistics_are_found_by_name() {
        let text = "entries: 302\noverrun: 1\ncommit overrun: 2\ndropped events: 30\n";
        assert_eq!(
            ["overrun", "commit overrun", "dropped events", "none"].map(|name| statistic(text, name)),
            [1, 2, 30, 0]
        );
    }
}
