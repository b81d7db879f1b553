# Two tokens made one.
import sys

sys.stdout.write('HelloWorld 1.0\n')
