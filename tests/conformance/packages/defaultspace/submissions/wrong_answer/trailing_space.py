# A space at the end.
import sys

sys.stdout.write('Hello World 1.0 \n')
