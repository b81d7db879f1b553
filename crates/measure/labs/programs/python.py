# Fills a dictionary and sorts, as the interpreter does most of the time.
import sys

total = 0
for turn in range(int(sys.argv[1])):
    table = {}
    for i in range(2000):
        key = i * 7919 % 997
        table[key] = table.get(key, 0) + i
    total += sorted(table.values())[turn % 100]
print(total)
