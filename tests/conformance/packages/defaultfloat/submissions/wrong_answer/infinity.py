# Infinity is not a number of the grammar.
import sys

sys.stdout.write('0.1 inf -5 text 0\n')
