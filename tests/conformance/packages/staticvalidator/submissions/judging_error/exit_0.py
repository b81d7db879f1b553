# order: accept as 0
print(42)
