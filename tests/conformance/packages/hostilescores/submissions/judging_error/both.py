# Both files.
import sys

sys.stdout.write('42 score_multiplier.txt 0.5 score.txt 10\n')
