# It names the files that the validator must find, itself last.
names = ["__pycache__", "given.txt", "names.py"]
print(*names)
