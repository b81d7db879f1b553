# A number beyond all doubles.
import sys

sys.stdout.write('0.1 1e999 -5 text 0\n')
