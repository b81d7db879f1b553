# The interactor exits 1 while the submission waits.
print("crash", flush=True)
input()
