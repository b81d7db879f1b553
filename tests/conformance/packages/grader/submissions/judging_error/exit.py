# An answer, but an exit code of 1.
number = int(input())
assert number not in (1,)
print(number)
