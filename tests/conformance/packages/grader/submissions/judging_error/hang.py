# It never answers.
number = int(input())
assert number not in (1,)
print(0 if number in (2,) else number)
