# The validator takes all memory.
import sys

sys.stdout.write('memory\n')
