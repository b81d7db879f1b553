# Exit code 4.
print("dirt")
