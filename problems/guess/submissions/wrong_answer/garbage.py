# Prints words instead of a depth, waits for the answer and ends in peace.
input()
print("somewhere below", flush=True)
try:
    input()
except EOFError:
    pass
