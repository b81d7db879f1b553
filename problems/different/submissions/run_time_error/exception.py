# Reads a third number that is never there.
import sys

for line in sys.stdin:
    a, b, c = map(int, line.split())
    print(abs(a - b))
