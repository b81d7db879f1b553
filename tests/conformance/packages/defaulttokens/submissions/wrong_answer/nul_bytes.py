# A NUL is part of a token.
import sys

sys.stdout.write('Hello World 1.0\x00\n')
