# Walks from one reading to the other; centuries for the longer ways.
import sys

for line in sys.stdin:
    a, b = sorted(map(int, line.split()))
    steps = 0
    while a + steps < b:
        steps += 1
    print(steps)
