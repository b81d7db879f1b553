# The validator raises an exception and exits 1.
import sys

sys.stdout.write('raise\n')
