# The interactor exits 0, which is no verdict.
import sys

print("exit-0", flush=True)
sys.stdin.read()
