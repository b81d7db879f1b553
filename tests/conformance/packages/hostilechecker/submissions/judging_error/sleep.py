# The validator sleeps for ever.
import sys

sys.stdout.write('sleep\n')
