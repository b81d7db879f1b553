# Is right so far, and uses all its time before the interactor asks for more.
print("late-verdict\n2", flush=True)
while True:
    pass
