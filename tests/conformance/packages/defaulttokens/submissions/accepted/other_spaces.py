# All kinds of white space are the same, also before and after.
import sys

sys.stdout.write('\n\x0c\x0b  Hello\tWorld\r\n\n1.0   ')
