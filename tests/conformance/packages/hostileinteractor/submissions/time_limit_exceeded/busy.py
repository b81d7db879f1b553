# Loops while the interactor waits.
print("double", flush=True)
while True:
    pass
