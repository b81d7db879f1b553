# Floods an interactor that takes it all.
print("read", flush=True)
while True:
    print("x" * 1000)
