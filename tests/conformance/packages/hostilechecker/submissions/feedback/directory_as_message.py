# The message is a directory.
import sys

sys.stdout.write('directory-as-message\n')
