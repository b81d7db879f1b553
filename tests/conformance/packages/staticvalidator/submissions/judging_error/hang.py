# order: hang
print(42)
