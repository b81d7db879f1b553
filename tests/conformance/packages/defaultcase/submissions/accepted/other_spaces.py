# White space still does not matter.
import sys

sys.stdout.write('Hello\n\nWorld\n1.0')
