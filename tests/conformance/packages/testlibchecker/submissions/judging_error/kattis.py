# Exit code 42 means nothing in this protocol.
print("kattis")
