# The validator fills the feedback directory with files.
import sys

sys.stdout.write('many-feedback-files\n')
