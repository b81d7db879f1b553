# A newline at the start.
import sys

sys.stdout.write('\nHello World 1.0\n')
