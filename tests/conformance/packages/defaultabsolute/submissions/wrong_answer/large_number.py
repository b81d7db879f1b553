# Nearly right relatively, not absolutely.
import sys

sys.stdout.write('0 1000000000.001\n')
