# A number where the answer is text.
import sys

sys.stdout.write('0.1 1000000 -5 0 0\n')
