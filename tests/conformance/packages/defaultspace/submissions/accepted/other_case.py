# Case does not matter.
import sys

sys.stdout.write('HELLO WORLD 1.0\n')
