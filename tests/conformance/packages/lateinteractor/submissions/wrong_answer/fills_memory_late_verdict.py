# Is wrong, and fills its memory before the interactor rejects it.
print("late-verdict\n3", flush=True)
filled = []
while True:
    filled.append(bytearray(1 << 24))
