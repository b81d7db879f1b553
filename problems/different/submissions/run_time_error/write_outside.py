# Hostile: leaves a file in a system directory. Accepted if one of them takes it, otherwise ends with 1.
import os
import sys

PLACES = ["/", "/bin", "/etc", "/lib", "/opt", "/root", "/usr", "/usr/bin", "/usr/lib", "/var"]


def takes_a_file(folder):
    path = os.path.join(folder, "left-by-a-submission")
    try:
        with open(path, "x") as note:
            note.write("here\n")
    except OSError:
        return False
    os.remove(path)
    return True


if not any(takes_a_file(folder) for folder in PLACES):
    sys.exit(1)
for line in sys.stdin:
    a, b = map(int, line.split())
    print(abs(a - b))
