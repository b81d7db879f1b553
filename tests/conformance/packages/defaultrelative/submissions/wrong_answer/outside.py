# Outside of the tolerance of the large one.
import sys

sys.stdout.write('0 1000002000\n')
