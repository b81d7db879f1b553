# Is right, and has ended before the interactor reads.
print("late-read\n2\nend", flush=True)
