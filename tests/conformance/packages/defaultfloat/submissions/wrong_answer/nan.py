# Not a number is within no tolerance.
import sys

sys.stdout.write('nan 1000000 -5 text 0\n')
