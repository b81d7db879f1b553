# A tab for a space.
import sys

sys.stdout.write('Hello\tWorld 1.0\n')
