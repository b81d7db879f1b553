# Is wrong, and crashes after the interactor has rejected it, which shows by the end of its input.
import sys

print("at-once\n3", flush=True)
sys.stdin.read()
raise RuntimeError("after a wrong line")
