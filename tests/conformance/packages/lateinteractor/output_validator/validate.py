"""An interactor that is slow where the first line says: longer than any submission here has."""

import sys
import time


def line(slow):
    if slow == "late-read":
        time.sleep(0.8)
    said = sys.stdin.readline().strip()
    if slow == "late-verdict":
        time.sleep(0.8)
    return said


slow = line("")
print(1, flush=True)
if line(slow) != "2":
    sys.exit(43)
# Here it asks for more.
sys.exit(42 if line("") == "end" else 43)
