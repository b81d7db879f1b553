# 41 is no verdict.
import sys

sys.stdout.write('exit-41\n')
