# Case does.
import sys

sys.stdout.write('hello world 1.0\n')
