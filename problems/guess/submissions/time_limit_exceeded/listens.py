# Reads for ever without ever sounding.
import sys

while sys.stdin.readline():
    pass
