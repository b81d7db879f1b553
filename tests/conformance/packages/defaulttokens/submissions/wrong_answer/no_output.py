# Nothing.
import sys

sys.stdout.write('')
