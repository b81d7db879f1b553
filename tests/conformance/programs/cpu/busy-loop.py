# The plain endless loop in Python.
while True:
    pass
