# order: too many
print(42)
