# Any input is good: the package is about its grader.
import sys

sys.stdin.read()
sys.exit(42)
