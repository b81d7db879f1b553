# It is not compared as a number.
import sys

sys.stdout.write('1e999 nan 16\n')
