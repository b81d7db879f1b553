# names: half of what may be written
open("small", "wb").write(bytes(1 << 19))
print("__pycache__", "given.txt", "small_file.py")
