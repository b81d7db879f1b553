# A no-break space is not white space, byte by byte.
import sys

sys.stdout.write('Hello\xa0World 1.0\n')
