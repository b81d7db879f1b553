#!/usr/bin/env python3
"""Writes data/secret: `generate.py SEED`. The same seed gives the same bytes on every machine."""
import random
import sys
from pathlib import Path

TOP = 10**18
SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"


def pairs(rng, count, low, high):
    # randint is built on getrandbits and stable between Python versions; shuffle and choice are not promised.
    return [(rng.randint(low, high), rng.randint(low, high)) for _ in range(count)]


def beyond_double(rng, count):
    """Odd differences above 2^53: a program that computes in doubles must lose the last bit."""
    chosen = []
    while len(chosen) < count:
        a, b = rng.randint(2**58, TOP), rng.randint(-TOP, -(2**58))
        if (a - b) % 2 == 1:
            chosen.append((a, b) if len(chosen) % 2 else (b, a))
    return chosen


def cases(rng):
    yield "01-small", pairs(rng, 20, -100, 100)
    yield "02-equal", [(a, a) for a, _ in pairs(rng, 20, -TOP, TOP)] + [(0, 0)]
    yield "03-within-int", pairs(rng, 100, -(10**9), 10**9)
    yield "04-beyond-int", [(a * 2**33, b) for a, b in pairs(rng, 100, 1, 10**8)]
    yield "05-beyond-double", beyond_double(rng, 100)
    yield "06-both-signs", [(-a, b) for a, b in pairs(rng, 50, 1, TOP)] + [(a, -b) for a, b in pairs(rng, 50, 1, TOP)]
    yield "07-extremes", [(x, y) for x in (-TOP, -TOP + 1, -1, 0, 1, TOP - 1, TOP) for y in (-TOP, -1, 0, 1, TOP)]
    yield "08-one-line", [(TOP, TOP - 1)]
    yield "09-longest", pairs(rng, 1000, -TOP, TOP)


def main():
    if len(sys.argv) != 2 or not sys.argv[1].isdigit():
        sys.exit("usage: generate.py SEED   (SEED is a non-negative integer, the package was made with 1)")
    rng = random.Random(int(sys.argv[1]))
    SECRET.mkdir(parents=True, exist_ok=True)
    for name, readings in cases(rng):
        lines = "".join(f"{a} {b}\n" for a, b in readings)
        answers = "".join(f"{abs(a - b)}\n" for a, b in readings)
        (SECRET / f"{name}.in").write_text(lines, encoding="ascii", newline="\n")
        (SECRET / f"{name}.ans").write_text(answers, encoding="ascii", newline="\n")


if __name__ == "__main__":
    main()
