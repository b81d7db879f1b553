# Outside of both tolerances.
import sys

sys.stdout.write('0.10000001 1000000 -5 text 0\n')
