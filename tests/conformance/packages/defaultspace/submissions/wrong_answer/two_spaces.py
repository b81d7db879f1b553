# Two spaces for one.
import sys

sys.stdout.write('Hello  World 1.0\n')
