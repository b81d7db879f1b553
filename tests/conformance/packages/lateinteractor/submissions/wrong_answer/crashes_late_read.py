# Is wrong, and crashes before the interactor reads it.
print("late-read\n3", flush=True)
raise RuntimeError("after a wrong line")
