# A multiplier above one.
import sys

sys.stdout.write('42 score_multiplier.txt 1.5\n')
