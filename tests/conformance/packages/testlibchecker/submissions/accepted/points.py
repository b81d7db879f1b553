# Exit code 7 with points: a part of them is accepted, too.
print("points 12.5")
