# The validator crashes.
import sys

sys.stdout.write('segv\n')
