# Relative to zero there is no tolerance at all.
import sys

sys.stdout.write('1e-12 1000000000\n')
