# A carriage return.
import sys

sys.stdout.write('Hello World 1.0\r\n')
