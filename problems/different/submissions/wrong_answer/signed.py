# Forgets that either gauge may be the higher one.
import sys

for line in sys.stdin:
    a, b = map(int, line.split())
    print(b - a)
