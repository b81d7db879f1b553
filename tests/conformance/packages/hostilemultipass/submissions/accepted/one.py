# One pass.
print('one', input())
