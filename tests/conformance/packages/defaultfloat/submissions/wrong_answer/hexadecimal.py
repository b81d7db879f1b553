# Hexadecimal numbers are not in the grammar, though a library might read them.
import sys

sys.stdout.write('0.1 0xF4240 -5 text 0\n')
