# Too much output: the grader is told RTE, and what it passes on is the real verdict again.
print("x" * (9 << 20))
