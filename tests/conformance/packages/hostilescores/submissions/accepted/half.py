# Half of the points.
import sys

sys.stdout.write('42 score_multiplier.txt 0.5\n')
