# The interactor accepts at once, the submission exits 3 by its own doing.
import sys

print("accept", flush=True)
sys.stdin.read()
sys.exit(3)
