# names: half of what may be written
open("small", "wb").write(bytes(1 << 19))
print("given.txt", "small_file.py")
