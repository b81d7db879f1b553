# Any input is good: the package is about its output validator.
import sys

sys.stdin.read()
sys.exit(42)
