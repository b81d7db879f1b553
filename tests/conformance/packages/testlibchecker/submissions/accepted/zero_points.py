# Exit code 7 without any point: nothing is scored, and the jury's checker accepted it.
print("points 0")
