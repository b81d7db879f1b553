# No answer.
number = int(input())
assert number not in (1, 3)
print(number)
