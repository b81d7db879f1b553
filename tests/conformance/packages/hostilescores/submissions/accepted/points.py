# Some points.
import sys

sys.stdout.write('42 score.txt 33.5\n')
