#!/usr/bin/env python3
"""Accepts n and n requests without padding, at least one of them `balance`."""
import re
import sys

REQUESTS_MAX = 3000
AMOUNT_MAX = 10**12
NAME = rb"[a-z]{1,10}"
AMOUNT = rb"([1-9][0-9]{0,12})"
COUNT = re.compile(rb"([1-9][0-9]{0,3})\n")
REQUEST = re.compile(
    rb"(?:deposit %b %b|transfer %b %b %b|(balance) %b)\n" % (NAME, AMOUNT, NAME, NAME, AMOUNT, NAME)
)


def reject(line_number, reason):
    print(f"line {line_number}: {reason}", file=sys.stderr)
    sys.exit(43)


lines = sys.stdin.buffer.readlines()
header = COUNT.fullmatch(lines[0]) if lines else None
if header is None or int(header[1]) > REQUESTS_MAX:
    reject(1, f"expected the number of requests alone, 1 to {REQUESTS_MAX}")
if len(lines) != int(header[1]) + 1:
    reject(len(lines), f"expected {int(header[1])} requests, got {len(lines) - 1}")
balances_asked = 0
for number, line in enumerate(lines[1:], start=2):
    match = REQUEST.fullmatch(line)
    if match is None:
        reject(number, f"expected a deposit, a transfer or a balance, got {line[:80]!r}")
    amount = match[1] or match[2]
    if amount is not None and int(amount) > AMOUNT_MAX:
        reject(number, f"an amount of {amount.decode()}, at most {AMOUNT_MAX} is allowed")
    balances_asked += match[3] is not None
if balances_asked == 0:
    reject(len(lines), "nobody asks for a balance")
sys.exit(42)
