# Less than nothing.
import sys

sys.stdout.write('42 score.txt -1\n')
