# The last newline does not matter.
import sys

sys.stdout.write('Hello World 1.0')
