#!/usr/bin/env python3
"""Writes data/secret: `generate.py SEED`. The same seed gives the same bytes on every machine."""
import random
import sys
from pathlib import Path

BOUND_MAX = 2 * 10**7
SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"


def sieve(bound):
    """A byte for every number up to `bound`, 1 where it is prime."""
    flags = bytearray([1]) * (bound + 1)
    flags[:2] = b"\0\0"
    for number in range(2, int(bound**0.5) + 1):
        if flags[number]:
            flags[number * number :: number] = bytes(len(range(number * number, bound + 1, number)))
    return flags


def cases(rng):
    yield "01-two", 2
    yield "02-three", 3
    yield "03-square-of-prime", 4463**2
    yield "04-prime", 999983
    yield "05-before-prime", 999982
    yield "06-medium", rng.randint(10**5, 10**6)
    yield "07-large", rng.randint(15 * 10**6, BOUND_MAX)
    yield "08-largest", BOUND_MAX


def main():
    if len(sys.argv) != 2 or not sys.argv[1].isdigit():
        sys.exit("usage: generate.py SEED   (SEED is a non-negative integer, the package was made with 1)")
    rng = random.Random(int(sys.argv[1]))
    SECRET.mkdir(parents=True, exist_ok=True)
    flags = sieve(BOUND_MAX)
    for name, bound in cases(rng):
        (SECRET / f"{name}.in").write_text(f"{bound}\n", encoding="ascii", newline="\n")
        (SECRET / f"{name}.ans").write_text(f"{flags[: bound + 1].count(1)}\n", encoding="ascii", newline="\n")


if __name__ == "__main__":
    main()
