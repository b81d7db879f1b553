# Other ways to write the same numbers.
import sys

sys.stdout.write('1e-1 1E+6 -5.0 TEXT 0e5\n')
