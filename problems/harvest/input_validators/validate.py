#!/usr/bin/env python3
"""Accepts n and n weights in two lines without padding.

Arguments narrow the limits for a group: `n_max=N` for the number of trees, `sorted` for weights that never grow.
"""
import re
import sys

TREES_MAX = 5000
WEIGHT_MAX = 10**9
NUMBER = rb"[1-9][0-9]*"
ROW = re.compile(rb"(%b)\n((?:%b )*%b)\n" % (NUMBER, NUMBER, NUMBER))


def reject(line_number, reason):
    print(f"line {line_number}: {reason}", file=sys.stderr)
    sys.exit(43)


trees_max = TREES_MAX
must_be_sorted = False
for argument in sys.argv[1:]:
    if argument == "sorted":
        must_be_sorted = True
    elif re.fullmatch(r"n_max=[0-9]+", argument):
        trees_max = int(argument.removeprefix("n_max="))
    else:
        sys.exit(f"unknown argument {argument!r}: expected sorted or n_max=N")

match = ROW.fullmatch(sys.stdin.buffer.read())
if match is None:
    reject(1, "expected a line with n and a line with positive integers, separated by single spaces")
count = int(match[1])
weights = [int(word) for word in match[2].split(b" ")]
if not 2 <= count <= trees_max:
    reject(1, f"{count} trees, 2 to {trees_max} are allowed")
if len(weights) != count:
    reject(2, f"{len(weights)} weights for {count} trees")
if max(weights) > WEIGHT_MAX:
    reject(2, f"a weight of {max(weights)}, at most {WEIGHT_MAX} is allowed")
if must_be_sorted and any(left < right for left, right in zip(weights, weights[1:])):
    reject(2, "the weights of this group must not grow")
sys.exit(42)
