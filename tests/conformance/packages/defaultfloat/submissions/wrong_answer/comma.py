# A comma for the point.
import sys

sys.stdout.write('0,1 1000000 -5 text 0\n')
