# Nothing of the first pass is left in the second: no file, no memory.
import os
import sys

number = input()
for place in (".", "/tmp", "/dev/shm"):
    path = os.path.join(place, "from-the-first-pass")
    if os.path.exists(path):
        print("left behind", path)
        sys.exit(0)
    try:
        open(path, "w").close()
    except OSError:
        pass
print("three", number)
