# The answer as it is.
import sys

sys.stdout.write('Hello World 1.0\n')
