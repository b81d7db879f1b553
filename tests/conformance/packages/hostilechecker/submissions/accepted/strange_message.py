# The message is not text.
import sys

sys.stdout.write('strange-message\n')
