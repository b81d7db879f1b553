#!/usr/bin/env python3
"""Accepts one line "n k fixed DEPTH" or "n k adaptive", with 1 <= DEPTH <= n <= 10^18 and 2^k > n."""
import re
import sys

BOUND_MAX = 10**18
SOUNDINGS_MAX = 60
CASE = re.compile(rb"([1-9][0-9]*) ([1-9][0-9]*) (?:adaptive|fixed ([1-9][0-9]*))\n")


def reject(reason):
    print(f"line 1: {reason}", file=sys.stderr)
    sys.exit(43)


text = sys.stdin.buffer.read()
match = CASE.fullmatch(text)
if match is None:
    reject(f"expected one line 'n k fixed DEPTH' or 'n k adaptive', got {text[:80]!r}")
bound, soundings = int(match[1]), int(match[2])
if bound > BOUND_MAX:
    reject(f"n is {bound}, at most {BOUND_MAX} is allowed")
if soundings > SOUNDINGS_MAX or 2**soundings <= bound:
    reject(f"{soundings} soundings: at most {SOUNDINGS_MAX}, and enough for n = {bound}")
if match[3] is not None and int(match[3]) > bound:
    reject(f"the depth {int(match[3])} is beyond n = {bound}")
sys.exit(42)
