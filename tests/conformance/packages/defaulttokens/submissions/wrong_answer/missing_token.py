# A token is missing.
import sys

sys.stdout.write('Hello World\n')
