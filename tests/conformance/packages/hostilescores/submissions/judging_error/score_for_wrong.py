# Points for a wrong answer.
import sys

sys.stdout.write('43 score.txt 10\n')
