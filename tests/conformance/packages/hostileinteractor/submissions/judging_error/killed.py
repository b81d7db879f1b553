# The interactor is killed; the submission ends well all the same.
import sys

print("killed", flush=True)
sys.stdin.read()
