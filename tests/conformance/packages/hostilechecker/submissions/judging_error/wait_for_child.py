# The validator waits for a child for ever.
import sys

sys.stdout.write('wait-for-child\n')
