# Zero is no verdict.
import sys

sys.stdout.write('exit-0\n')
