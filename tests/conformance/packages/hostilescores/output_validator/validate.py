"""Writes the score file that the submission asks for: name and content, in one line."""

import sys

words = sys.stdin.readline().split()
for name, content in zip(words[1::2], words[2::2]):
    with open(sys.argv[3] + name, "w") as file:
        file.write(content + "\n")
sys.exit(int(words[0]))
