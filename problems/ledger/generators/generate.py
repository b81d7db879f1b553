#!/usr/bin/env python3
"""Writes data/secret/*/: `generate.py SEED`. The same seed gives the same bytes on every machine."""
import random
import sys
from collections import defaultdict
from pathlib import Path

AMOUNT_MAX = 10**12
SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def pick(rng, values):
    return values[rng.randrange(len(values))]


def names(rng, count):
    found = []
    while len(found) < count:
        name = "".join(pick(rng, LETTERS) for _ in range(rng.randint(1, 10)))
        if name not in found:
            found.append(name)
    return found


def requests(rng, count, members, amount_max, transfers_of_ten, covered):
    """Random requests, the last one a balance. `covered` keeps transfers within what their giver has."""
    people = names(rng, members)
    balance = defaultdict(int)
    lines = []
    while len(lines) < count - 1:
        giver, taker, kind = pick(rng, people), pick(rng, people), rng.randrange(12)
        amount = rng.randint(1, amount_max)
        if kind < transfers_of_ten:
            if covered and balance[giver] == 0:
                continue
            if covered:
                amount = rng.randint(1, min(balance[giver], AMOUNT_MAX))
            lines.append(f"transfer {giver} {taker} {amount}")
            if balance[giver] >= amount:
                balance[giver] -= amount
                balance[taker] += amount
        elif kind < 10:
            lines.append(f"deposit {giver} {amount}")
            balance[giver] += amount
        else:
            lines.append(f"balance {giver}")
    return [*lines, f"balance {pick(rng, people)}"]


def answers(lines):
    balance = defaultdict(int)
    refused = 0
    for line in lines:
        verb, *words = line.split()
        if verb == "deposit":
            balance[words[0]] += int(words[1])
        elif verb == "balance":
            yield balance[words[0]]
        elif balance[words[0]] < int(words[2]):
            refused += 1
        else:
            balance[words[0]] -= int(words[2])
            balance[words[1]] += int(words[2])
    yield f"refused {refused}"


def cases(rng):
    yield "01-plain/01-nothing", ["balance nobody"]
    yield "01-plain/02-deposits", requests(rng, 30, 5, 100, 0, True)
    yield "01-plain/03-transfers", requests(rng, 60, 6, 1000, 5, True)
    yield "02-refused/01-few", requests(rng, 40, 4, 1000, 7, False)
    yield "02-refused/02-to-oneself", [
        "transfer ada ada 1", "deposit ada 5", "transfer ada ada 5", "balance ada", "transfer ada ada 6",
        "balance ada", "transfer ada bob 5", "balance ada", "balance bob", "transfer ada bob 1", "balance bob",
    ]
    yield "02-refused/03-many", requests(rng, 500, 20, 10**6, 8, False)
    yield "03-large/01-beyond-int", requests(rng, 1000, 3, AMOUNT_MAX, 2, False)
    yield "03-large/02-one-member", ["deposit x 1000000000000"] * 2999 + ["balance x"]
    yield "03-large/03-longest", requests(rng, 3000, 200, AMOUNT_MAX, 5, False)


def main():
    if len(sys.argv) != 2 or not sys.argv[1].isdigit():
        sys.exit("usage: generate.py SEED   (SEED is a non-negative integer, the package was made with 1)")
    rng = random.Random(int(sys.argv[1]))
    for name, lines in cases(rng):
        (SECRET / name).parent.mkdir(parents=True, exist_ok=True)
        asked = "".join(f"{line}\n" for line in [len(lines), *lines])
        answered = "".join(f"{line}\n" for line in answers(lines))
        (SECRET / f"{name}.in").write_text(asked, encoding="ascii", newline="\n")
        (SECRET / f"{name}.ans").write_text(answered, encoding="ascii", newline="\n")


if __name__ == "__main__":
    main()
