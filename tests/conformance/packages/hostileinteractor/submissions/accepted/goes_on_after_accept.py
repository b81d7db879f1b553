# The interactor accepts at once and ends; the submission works on, writes into nothing, and ends well.
import os
import signal
import sys

signal.signal(signal.SIGPIPE, signal.SIG_IGN)
print("accept", flush=True)
sys.stdin.read()
try:
    for _ in range(100):
        os.write(1, b"x" * 10000)
except BrokenPipeError:
    pass
os._exit(0)
