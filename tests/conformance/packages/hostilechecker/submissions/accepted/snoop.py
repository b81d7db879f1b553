# The validator looks for what it has no business with.
import sys

sys.stdout.write('snoop\n')
