import sys

seen = {}
for line in sys.stdin:
    a, b = map(int, line.split())
    seen[a + b] = True
for number in sorted(seen):
    print(number)
