# Grouped digits.
import sys

sys.stdout.write('0.1 1_000_000 -5 text 0\n')
