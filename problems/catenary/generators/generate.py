#!/usr/bin/env python3
"""Writes data/secret/*.in and *.ans: `generate.py SEED`. The same seed gives the same bytes everywhere.

Answers are computed in decimal arithmetic with 40 digits, since the last digit of a double may depend on
the mathematical library.
"""
import random
import sys
from decimal import Decimal, getcontext
from pathlib import Path

LENGTH_MAX = 10**6
SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"
getcontext().prec = 40


def sag(gap, length):
    """Newton's method on sinh(x) - x * length / gap, from above the root, where the function is convex."""
    ratio = Decimal(length) / Decimal(gap)
    x = Decimal(20)
    while True:
        growth, decay = x.exp(), (-x).exp()
        sinh, cosh = (growth - decay) / 2, (growth + decay) / 2
        step = (sinh - ratio * x) / (cosh - ratio)
        x -= step
        if abs(step) < Decimal("1e-25"):
            break
    half_growth = x.exp()
    return Decimal(length) / 2 * (half_growth - 1) / (half_growth + 1)


def chains(rng, count, longest):
    found = []
    for _ in range(count):
        gap = rng.randint(1, longest - 1)
        found.append((gap, rng.randint(gap + 1, longest)))
    return found


def cases(rng):
    yield "01-small", chains(rng, 20, 20)
    yield "02-one-chain", [(100, 150)]
    yield "03-almost-taut", [(g, g + 1) for g in (1, 2, 10, 100, 1000, 10**4, 10**5, LENGTH_MAX - 1)]
    yield "04-very-slack", [(g, length) for g in (1, 2, 3, 10) for length in (10**3, 10**5, LENGTH_MAX)]
    yield "05-medium", chains(rng, 200, 10**4)
    yield "06-large", chains(rng, 1000, LENGTH_MAX)


def main():
    if len(sys.argv) != 2 or not sys.argv[1].isdigit():
        sys.exit("usage: generate.py SEED   (SEED is a non-negative integer, the package was made with 1)")
    rng = random.Random(int(sys.argv[1]))
    SECRET.mkdir(parents=True, exist_ok=True)
    for name, hung in cases(rng):
        lines = f"{len(hung)}\n" + "".join(f"{gap} {length}\n" for gap, length in hung)
        answers = "".join(f"{sag(gap, length):.9f}\n" for gap, length in hung)
        (SECRET / f"{name}.in").write_text(lines, encoding="ascii", newline="\n")
        (SECRET / f"{name}.ans").write_text(answers, encoding="ascii", newline="\n")


if __name__ == "__main__":
    main()
