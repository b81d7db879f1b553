# Nor is it everywhere.
import sys

sys.stdout.write('NaN NaN NaN NaN NaN\n')
