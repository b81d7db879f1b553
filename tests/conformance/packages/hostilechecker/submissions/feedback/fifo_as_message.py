# The message is a FIFO that nobody writes to.
import sys

sys.stdout.write('fifo-as-message\n')
