# The shortest and the longest forms that the grammar allows.
import sys

sys.stdout.write('+.1 1000000. -0005 text -0\n')
