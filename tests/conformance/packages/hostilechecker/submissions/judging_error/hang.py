# The validator loops for ever, and its first thread has ended.
import sys

sys.stdout.write('hang\n')
