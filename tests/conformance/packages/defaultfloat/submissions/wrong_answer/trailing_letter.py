# A number with a letter behind it.
import sys

sys.stdout.write('0.1f 1000000 -5 text 0\n')
