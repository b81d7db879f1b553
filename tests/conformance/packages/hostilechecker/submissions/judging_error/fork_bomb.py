# The validator forks for ever.
import sys

sys.stdout.write('fork-bomb\n')
