# Hostile here, since this problem does not allow files to be written: keeps its books in the working
# directory. It is accepted if that works; otherwise the exception ends it.
import os
from collections import defaultdict

balances, refused = defaultdict(int), 0
with open("books.txt", "w") as books:
    for _ in range(int(input())):
        verb, name, *rest = input().split()
        books.write(f"{verb} {name}\n")
        if verb == "deposit":
            balances[name] += int(rest[0])
        elif verb == "balance":
            print(balances[name])
        elif balances[name] < int(rest[1]):
            refused += 1
        else:
            balances[name] -= int(rest[1])
            balances[rest[0]] += int(rest[1])
os.remove("books.txt")
print("refused", refused)
