# Exit code 1.
print(41)
