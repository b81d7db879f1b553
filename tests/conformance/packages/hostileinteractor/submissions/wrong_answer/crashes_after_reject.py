# The interactor rejects and ends; the submission dies of the broken pipe that follows from it.
import signal
import sys

signal.signal(signal.SIGPIPE, signal.SIG_DFL)
print("reject", flush=True)
sys.stdin.read()
while True:
    print("x" * 1000, flush=True)
