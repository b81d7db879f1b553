# An interpreter finds this only when it starts, unless a check is its compile step.
print("never"
