# Exit code 2.
print("format")
