# Is wrong, and writes more than allowed before the interactor reads it.
print("late-read\n3", flush=True)
while True:
    print("x" * 10000, flush=True)
