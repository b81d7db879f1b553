//! Compiles actions by call number to instructions of the kernel's filter machine.

use super::calls::IOCTL_KIND_MASK;
use libc::{
    BPF_ABS, BPF_ALU, BPF_AND, BPF_JA, BPF_JEQ, BPF_JGE, BPF_JMP, BPF_K, BPF_LD, BPF_RET, BPF_W, sock_filter,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    Allow,
    Errno(u16),
    ErrnoIfBits {
        argument: u8,
        mask: u32,
        errno: u16,
    },
    ErrnoIfLong {
        argument: u8,
        errno: u16,
    },
    AllowValues {
        argument: u8,
        values: Vec<u32>,
        errno: u16,
    },
    /// Of the kinds, only the bits of [`IOCTL_KIND_MASK`] are compared.
    DenyValues {
        argument: u8,
        values: Vec<(u32, u16)>,
        kinds: Vec<(u32, u16)>,
    },
}

/// Actions for every call number: each applies from its number up to the next one.
#[derive(Debug)]
pub struct Program {
    steps: Vec<(u32, Action)>,
}

/// Initial capacity for the resulting steps.
const INSTRUCTIONS_USUAL: usize = 512;

/// Offsets of the fields of `struct seccomp_data`.
const NUMBER_OFFSET: u32 = 0;
const ARCHITECTURE_OFFSET: u32 = 4;
const ARGUMENTS_OFFSET: u32 = 16;
/// Where an argument's high half is; all supported machines are little-endian.
const HIGH_HALF: u32 = 4;

#[cfg(target_arch = "x86_64")]
const AUDIT_ARCHITECTURE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const AUDIT_ARCHITECTURE: u32 = 0xc000_00b7;

impl Program {
    pub fn new(mut named: Vec<(u32, Action)>, default: Action) -> Self {
        named.sort_by_key(|(number, _)| *number);
        let mut steps: Vec<(u32, Action)> = vec![(0, default.clone())];
        let mut begin = |start: u32, action: Action| {
            if steps.last().is_some_and(|(last, _)| *last == start) {
                steps.pop();
            }
            if steps.last().map(|(_, last)| last) != Some(&action) {
                steps.push((start, action));
            }
        };
        for (number, action) in named {
            begin(number, action);
            // The x32 interface repeats all calls with bit 30 set; the last step rejects those too.
            begin(number + 1, default.clone());
        }
        Self { steps }
    }

    pub fn instructions(&self) -> Vec<sock_filter> {
        let mut code = Vec::with_capacity(INSTRUCTIONS_USUAL);
        code.extend([
            load(ARCHITECTURE_OFFSET),
            jump(BPF_JEQ, AUDIT_ARCHITECTURE, 1, 0),
            ret(libc::SECCOMP_RET_KILL_PROCESS),
            load(NUMBER_OFFSET),
        ]);
        write_tree(&self.steps, &mut code);
        code
    }

    #[cfg(test)]
    pub fn decide(&self, number: u32, arguments: [u64; 6]) -> Decision {
        decide(&self.instructions(), number, arguments)
    }
}

/// Lets `execveat(2)` pass with these 64 bits as its sixth argument, and refuses any other execution.
pub fn only_with_pass(pass: u64) -> Vec<sock_filter> {
    const SIXTH: u32 = ARGUMENTS_OFFSET + 5 * 8;
    const REFUSED: u32 = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
    vec![
        load(NUMBER_OFFSET),
        jump(BPF_JEQ, libc::SYS_execve as u32, 6, 0),
        jump(BPF_JEQ, libc::SYS_execveat as u32, 0, 4),
        load(SIXTH),
        jump(BPF_JEQ, pass as u32, 0, 3),
        load(SIXTH + HIGH_HALF),
        jump(BPF_JEQ, (pass >> 32) as u32, 0, 1),
        ret(libc::SECCOMP_RET_ALLOW),
        ret(REFUSED),
    ]
}

/// Decides like these instructions, by interpreting them.
#[cfg(test)]
pub fn decide(code: &[sock_filter], number: u32, arguments: [u64; 6]) -> Decision {
    let word = |offset: u32| match offset {
        NUMBER_OFFSET => number,
        ARCHITECTURE_OFFSET => AUDIT_ARCHITECTURE,
        _ => {
            let at = offset - ARGUMENTS_OFFSET;
            (arguments[(at / 8) as usize] >> (at % 8 * 8)) as u32
        }
    };
    let (mut at, mut accumulator) = (0, 0);
    loop {
        let instruction = code[at];
        at += 1;
        let operand = u32::from(instruction.code);
        let taken = |condition: bool| usize::from(if condition { instruction.jt } else { instruction.jf });
        if operand == BPF_LD | BPF_W | BPF_ABS {
            accumulator = word(instruction.k);
        } else if operand == BPF_ALU | BPF_AND | BPF_K {
            accumulator &= instruction.k;
        } else if operand == BPF_JMP | BPF_JA {
            at += instruction.k as usize;
        } else if operand == BPF_JMP | BPF_JEQ | BPF_K {
            at += taken(accumulator == instruction.k);
        } else if operand == BPF_JMP | BPF_JGE | BPF_K {
            at += taken(accumulator >= instruction.k);
        } else {
            return match instruction.k & 0xffff_0000 {
                libc::SECCOMP_RET_ALLOW => Decision::Allow,
                libc::SECCOMP_RET_ERRNO => Decision::Errno(instruction.k as u16),
                _ => Decision::Kill,
            };
        }
    }
}

#[cfg(test)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    Allow,
    Errno(u16),
    Kill,
}

/// Writes a balanced search tree over the steps: each comparison excludes half of the numbers.
fn write_tree(steps: &[(u32, Action)], code: &mut Vec<sock_filter>) {
    if let [(_, action)] = steps {
        code.extend(leaf(action));
        return;
    }
    let (low, high) = steps.split_at(steps.len() / 2);
    let bound = high[0].0;
    let begin = code.len();
    code.push(jump(BPF_JGE, bound, 0, 0));
    write_tree(low, code);
    match u8::try_from(code.len() - begin - 1) {
        Ok(skipped) => code[begin].jt = skipped,
        // A conditional jump reaches 255 instructions only; an unconditional one reaches all.
        Err(_) => {
            let skipped =
                u32::try_from(code.len() - begin - 1).expect("a filter has at most 4096 instructions");
            code[begin] = jump(BPF_JGE, bound, 0, 1);
            code.insert(begin + 1, statement(BPF_JMP | BPF_JA, skipped));
        }
    }
    write_tree(high, code);
}

fn leaf(action: &Action) -> Vec<sock_filter> {
    let refuse = |errno: u16| ret(libc::SECCOMP_RET_ERRNO | u32::from(errno));
    let allow = ret(libc::SECCOMP_RET_ALLOW);
    match action {
        Action::Allow => vec![allow],
        Action::Errno(errno) => vec![refuse(*errno)],
        Action::ErrnoIfBits { argument, mask, errno } => vec![
            load_argument(*argument),
            statement(BPF_ALU | BPF_AND | BPF_K, *mask),
            jump(BPF_JEQ, 0, 0, 1),
            allow,
            refuse(*errno),
        ],
        Action::ErrnoIfLong { argument, errno } => vec![
            load(ARGUMENTS_OFFSET + 8 * u32::from(*argument) + HIGH_HALF),
            jump(BPF_JEQ, 0, 0, 1),
            allow,
            refuse(*errno),
        ],
        Action::AllowValues { argument, values, errno } => {
            by_value(*argument, values.iter().map(|value| (*value, allow)), refuse(*errno))
        }
        Action::DenyValues { argument, values, kinds } => {
            let refused = |(value, errno): &(u32, u16)| (*value, refuse(*errno));
            let mut code = by_value(*argument, values.iter().map(refused), allow);
            if !kinds.is_empty() {
                code.pop();
                code.push(statement(BPF_ALU | BPF_AND | BPF_K, IOCTL_KIND_MASK));
                code.extend(compared(kinds.iter().map(refused), allow));
            }
            code
        }
    }
}

fn by_value(
    argument: u8,
    values: impl Iterator<Item = (u32, sock_filter)>,
    otherwise: sock_filter,
) -> Vec<sock_filter> {
    let mut code = vec![load_argument(argument)];
    code.extend(compared(values, otherwise));
    code
}

fn compared(values: impl Iterator<Item = (u32, sock_filter)>, otherwise: sock_filter) -> Vec<sock_filter> {
    let mut code = Vec::new();
    for (value, on_match) in values {
        code.extend([jump(BPF_JEQ, value, 0, 1), on_match]);
    }
    code.push(otherwise);
    code
}

/// Loads the low half of an argument, where it has 32 bits in the kernel.
fn load_argument(argument: u8) -> sock_filter {
    load(ARGUMENTS_OFFSET + 8 * u32::from(argument))
}

fn load(offset: u32) -> sock_filter {
    statement(BPF_LD | BPF_W | BPF_ABS, offset)
}

fn ret(value: u32) -> sock_filter {
    statement(BPF_RET | BPF_K, value)
}

fn statement(code: u32, k: u32) -> sock_filter {
    sock_filter { code: code as u16, jt: 0, jf: 0, k }
}

fn jump(condition: u32, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code: (BPF_JMP | condition | BPF_K) as u16, jt, jf, k }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_gets_its_own_action() {
        let named = vec![
            (0, Action::Allow),
            (1, Action::Allow),
            (5, Action::Errno(38)),
            (6, Action::Allow),
            (9, Action::AllowValues { argument: 1, values: vec![3, 4], errno: 22 }),
        ];
        let program = Program::new(named, Action::Errno(1));
        let decide = |number| program.decide(number, [0, 4, 0, 0, 0, 0]);
        let refused = Decision::Errno(1);
        for (number, expected) in [
            (0, Decision::Allow),
            (1, Decision::Allow),
            (2, refused),
            (4, refused),
            (5, Decision::Errno(38)),
            (6, Decision::Allow),
            (7, refused),
            (9, Decision::Allow),
            (10, refused),
            (0x4000_0000, refused),
            (u32::MAX, refused),
        ] {
            assert_eq!(decide(number), expected, "{number}");
        }
        assert_eq!(program.decide(9, [0, 5, 0, 0, 0, 0]), Decision::Errno(22));
    }

    #[test]
    fn a_tree_may_be_wider_than_a_jump_reaches() {
        let named = (0..2000).step_by(2).map(|number| (number, Action::Errno(number as u16))).collect();
        let program = Program::new(named, Action::Allow);
        for number in 0..2000 {
            let expected = if number % 2 == 0 { Decision::Errno(number as u16) } else { Decision::Allow };
            assert_eq!(program.decide(number, [0; 6]), expected, "{number}");
        }
    }
}
