# An exception that nobody catches: the interpreter prints a trace and exits 1.
print([1, 2, 3][3])
