# Splits, joins and formats text, with sets of words, whose order follows their hashes.
import sys

lines = []
for i in range(int(sys.argv[1])):
    words = {f"w{i * 31 % 97}", f"w{i * 17 % 89}", "of", "and"}
    lines.append(" ".join(words))
words = "\n".join(lines).split()
print(len(words), hash(tuple(sorted(set(words)))) % 1000)
