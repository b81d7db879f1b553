# Its first line stays in its own buffer, and it waits for the answer.
import sys

sys.stdout.write("double\n")
sys.stdin.readline()
