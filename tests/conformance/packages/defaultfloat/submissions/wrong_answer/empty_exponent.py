# An exponent without digits.
import sys

sys.stdout.write('0.1 1000000e -5 text 0\n')
