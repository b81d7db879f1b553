# The validator leaves children behind.
import sys

sys.stdout.write('leave-children\n')
