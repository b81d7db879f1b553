# Not a number.
import sys

sys.stdout.write('42 score.txt nan\n')
