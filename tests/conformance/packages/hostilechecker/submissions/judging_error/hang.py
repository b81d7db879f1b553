# The validator loops for ever.
import sys

sys.stdout.write('hang\n')
