# Asks to be rejected.
import sys

sys.stdout.write('reject\n')
