# Within the absolute tolerance only.
import sys

sys.stdout.write('0.1000000005 1000000 -5 text 0.0000000005\n')
