# @EXPECTED_RESULTS@: CHECK-MANUALLY
# Guesses now and then; only a person can say whether the verdict was the right one.
import random
import sys

for line in sys.stdin:
    a, b = map(int, line.split())
    print(abs(a - b) if random.random() < 0.99 else random.randint(0, 10**18))
