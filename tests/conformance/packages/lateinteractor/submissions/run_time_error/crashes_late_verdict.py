# The same, while the interactor has read all of it.
print("late-verdict\n2", flush=True)
raise RuntimeError("after a right line")
