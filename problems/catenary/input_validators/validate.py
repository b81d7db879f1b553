#!/usr/bin/env python3
"""Accepts q, then q lines "d l" with 1 <= d < l <= 10^6, without padding and with nothing after them."""
import re
import sys

CHAINS_MAX = 1000
LENGTH_MAX = 10**6
COUNT = re.compile(rb"([1-9][0-9]*)\n")
CHAIN = re.compile(rb"([1-9][0-9]*) ([1-9][0-9]*)\n")


def reject(line_number, reason):
    print(f"line {line_number}: {reason}", file=sys.stderr)
    sys.exit(43)


lines = sys.stdin.buffer.readlines()
header = COUNT.fullmatch(lines[0]) if lines else None
if header is None:
    reject(1, "expected the number of chains alone")
count = int(header[1])
if count > CHAINS_MAX:
    reject(1, f"{count} chains, at most {CHAINS_MAX} are allowed")
if len(lines) != count + 1:
    reject(len(lines), f"expected {count} chains after the first line, got {len(lines) - 1}")
for number, line in enumerate(lines[1:], start=2):
    match = CHAIN.fullmatch(line)
    if match is None:
        reject(number, f"expected two positive integers, one space between them, got {line!r}")
    gap, length = int(match[1]), int(match[2])
    if not gap < length <= LENGTH_MAX:
        reject(number, f"expected gap < length <= {LENGTH_MAX}, got {gap} and {length}")
sys.exit(42)
