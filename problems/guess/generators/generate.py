#!/usr/bin/env python3
"""Writes data/secret: `generate.py SEED`. The same seed gives the same bytes on every machine."""
import random
import sys
from pathlib import Path

BOUND_MAX = 10**18
SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"


def cases(rng):
    """Name, bound and depth; a depth of None lets the validator choose the worst."""
    yield "01-one-place", 1, 1
    yield "02-two-places", 2, 2
    yield "03-shallowest", 1000, 1
    yield "04-deepest", 1000, 1000
    yield "05-random", 10**9, rng.randint(1, 10**9)
    yield "06-beyond-double", BOUND_MAX, rng.randint(2**58, BOUND_MAX) | 1
    yield "07-adaptive-small", 7, None
    yield "08-adaptive-power", 2**40 - 1, None
    yield "09-adaptive-largest", BOUND_MAX, None


def main():
    if len(sys.argv) != 2 or not sys.argv[1].isdigit():
        sys.exit("usage: generate.py SEED   (SEED is a non-negative integer, the package was made with 1)")
    rng = random.Random(int(sys.argv[1]))
    SECRET.mkdir(parents=True, exist_ok=True)
    for name, bound, depth in cases(rng):
        # bit_length(n) is the least k with 2^k > n: just enough for halving.
        kind = "adaptive" if depth is None else f"fixed {depth}"
        (SECRET / f"{name}.in").write_text(f"{bound} {bound.bit_length()} {kind}\n", encoding="ascii", newline="\n")
        # The validator does not use the answer file; it must exist, and says what a person would ask.
        answer = "the validator decides" if depth is None else str(depth)
        (SECRET / f"{name}.ans").write_text(f"{answer}\n", encoding="ascii", newline="\n")


if __name__ == "__main__":
    main()
