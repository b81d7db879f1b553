# Each is small enough.
for number in range(10):
    open(str(number), "wb").write(bytes(200_000))
print("done")
