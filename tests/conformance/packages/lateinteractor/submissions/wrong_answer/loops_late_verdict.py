# Is wrong, and uses all its time before the interactor rejects it.
print("late-verdict\n3", flush=True)
while True:
    pass
