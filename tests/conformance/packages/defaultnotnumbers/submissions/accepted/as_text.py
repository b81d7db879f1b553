# What is no number in the answer is compared as text.
import sys

sys.stdout.write('INF NaN 0X10\n')
