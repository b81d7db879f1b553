open("large", "wb").write(bytes(3 << 20))
print("done")
