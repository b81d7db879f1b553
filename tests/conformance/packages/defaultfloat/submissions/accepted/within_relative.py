# Within the relative tolerance only.
import sys

sys.stdout.write('0.1 1000000.0005 -5.000000001 text 0\n')
