#!/usr/bin/env python3
"""Writes data/secret/*/: `generate.py SEED`. The same seed gives the same bytes on every machine."""
import random
import sys
from pathlib import Path

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"
SMALL_WEIGHT_MAX = 300_000  # 5000 trees of this weight, half of them picked, stay below 2^31


def row(rng, count, heaviest):
    return [rng.randint(1, heaviest) for _ in range(count)]


def best(weights):
    with_last, without_last = 0, 0
    for weight in weights:
        with_last, without_last = without_last + weight, max(with_last, without_last)
    return max(with_last, without_last)


def by_greed(weights):
    """What picking the heaviest free tree again and again brings: some cases must beat it, some must not."""
    total, taken = 0, [False] * (len(weights) + 2)
    for place in sorted(range(len(weights)), key=lambda place: -weights[place]):
        if not (taken[place] or taken[place + 2]):
            taken[place + 1] = True
            total += weights[place]
    return total


def row_that_fools_greed(rng, count, heaviest):
    while True:
        weights = row(rng, count, heaviest)
        if by_greed(weights) < best(weights):
            return weights


def falling(rng, count, heaviest):
    return sorted(row(rng, count, heaviest), reverse=True)


def cases(rng):
    yield "group1-short/01-two", [3, 8]
    yield "group1-short/02-seven", row_that_fools_greed(rng, 7, 20)
    yield "group1-short/03-twelve", row_that_fools_greed(rng, 12, 1000)
    yield "group2-sorted/01-equal", [7] * 1000
    yield "group2-sorted/02-falling", falling(rng, 4000, SMALL_WEIGHT_MAX)
    yield "group3-long/part1-medium/01-hill", [1, 2, 3, 5, 8, 13, 21, 34, 33, 20, 12, 7, 4, 2, 1]
    yield "group3-long/part1-medium/02-random", row_that_fools_greed(rng, 25, SMALL_WEIGHT_MAX)
    yield "group3-long/part2-large/01-light", row_that_fools_greed(rng, 5000, SMALL_WEIGHT_MAX)
    yield "group3-long/part2-large/02-falling", falling(rng, 5000, SMALL_WEIGHT_MAX)
    yield "group3-long/part2-large/03-heavy", row_that_fools_greed(rng, 4999, 10**9)
    yield "group3-long/part2-large/04-heaviest", [10**9] * 4998 + [10**9 - 1, 10**9]


def main():
    if len(sys.argv) != 2 or not sys.argv[1].isdigit():
        sys.exit("usage: generate.py SEED   (SEED is a non-negative integer, the package was made with 1)")
    rng = random.Random(int(sys.argv[1]))
    for name, weights in cases(rng):
        (SECRET / name).parent.mkdir(parents=True, exist_ok=True)
        row_text = " ".join(map(str, weights))
        (SECRET / f"{name}.in").write_text(f"{len(weights)}\n{row_text}\n", encoding="ascii", newline="\n")
        (SECRET / f"{name}.ans").write_text(f"{best(weights)}\n", encoding="ascii", newline="\n")


if __name__ == "__main__":
    main()
