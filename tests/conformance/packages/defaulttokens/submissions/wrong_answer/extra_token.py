# A token too many.
import sys

sys.stdout.write('Hello World 1.0 !\n')
