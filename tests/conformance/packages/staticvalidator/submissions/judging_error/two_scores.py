# order: both
print(42)
