# It loses the points of the static validation, which is forbidden no more than that.
print(42)
