# The validator is killed by a signal of its own.
import sys

sys.stdout.write('kill\n')
