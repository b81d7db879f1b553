# Is right, and has ended before the interactor goes on.
print("late-verdict\n2\nend", flush=True)
