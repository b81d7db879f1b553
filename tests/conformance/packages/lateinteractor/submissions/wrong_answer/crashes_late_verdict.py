# Is wrong, and crashes before the interactor rejects it.
print("late-verdict\n3", flush=True)
raise RuntimeError("after a wrong line")
