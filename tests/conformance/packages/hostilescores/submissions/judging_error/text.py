# Not a number either.
import sys

sys.stdout.write('42 score.txt much\n')
