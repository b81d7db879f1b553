# More than the maximum.
import sys

sys.stdout.write('42 score.txt 101\n')
