# A wrong answer.
import sys

sys.stdout.write('43\n')
