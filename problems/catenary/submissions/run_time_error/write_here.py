# Hostile here, since this problem does not allow files to be written: leaves a note in its own working
# directory. It is accepted if that works; otherwise the exception ends it.
import os
from math import sinh, tanh

with open("note.txt", "w") as note:
    note.write("remember me\n")
os.remove("note.txt")
for _ in range(int(input())):
    gap, length = map(int, input().split())
    low, high = 0.0, 20.0
    for _ in range(64):
        middle = (low + high) / 2
        if sinh(middle) < length / gap * middle:
            low = middle
        else:
            high = middle
    print(length / 2 * tanh(low / 2))
