# As many passes as are allowed.
print('three', input())
