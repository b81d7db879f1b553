# Without a tolerance numbers are text.
import sys

sys.stdout.write('Hello World 1.00\n')
