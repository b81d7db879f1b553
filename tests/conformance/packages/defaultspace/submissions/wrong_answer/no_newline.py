# The last newline is missing.
import sys

sys.stdout.write('Hello World 1.0')
