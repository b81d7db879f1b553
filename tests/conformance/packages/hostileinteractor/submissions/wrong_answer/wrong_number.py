# Gives a wrong number.
print("double", flush=True)
input()
print(7, flush=True)
