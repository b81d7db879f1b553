# Upper and lower case are the same.
import sys

sys.stdout.write('hELLO wORLD 1.0\n')
