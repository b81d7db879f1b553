# order: crash
print(42)
