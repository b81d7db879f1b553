# More points than the problem has.
print("points 101")
