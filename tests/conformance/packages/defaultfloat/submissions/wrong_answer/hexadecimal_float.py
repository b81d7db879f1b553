# Nor are hexadecimal floats.
import sys

sys.stdout.write('0x1.999999999999ap-4 1000000 -5 text 0\n')
