# Is right so far, and crashes before the interactor asks for more.
print("late-read\n2", flush=True)
raise RuntimeError("after a right line")
