# Asks to be accepted.
import sys

sys.stdout.write('accept\n')
