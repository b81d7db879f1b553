# 44 is no verdict.
import sys

sys.stdout.write('exit-44\n')
