#!/usr/bin/env python3
"""Accepts 1 to 1000 lines of two integers, each between -10^18 and 10^18, written without padding."""
import re
import sys

LINES_MAX = 1000
VALUE_MAX = 10**18
LINE = re.compile(rb"(0|-?[1-9][0-9]*) (0|-?[1-9][0-9]*)\n")


def reject(line_number, reason):
    print(f"line {line_number}: {reason}", file=sys.stderr)
    sys.exit(43)


lines = sys.stdin.buffer.readlines()
if not 1 <= len(lines) <= LINES_MAX:
    reject(len(lines), f"there must be 1 to {LINES_MAX} lines")
for number, line in enumerate(lines, start=1):
    match = LINE.fullmatch(line)
    if match is None:
        reject(number, f"expected two integers, one space between them and a newline, got {line!r}")
    for digits in match.groups():
        if abs(int(digits)) > VALUE_MAX:
            reject(number, f"{digits.decode()} is outside -{VALUE_MAX}..{VALUE_MAX}")
sys.exit(42)
