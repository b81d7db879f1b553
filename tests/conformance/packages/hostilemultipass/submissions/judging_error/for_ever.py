# One pass more than allowed.
print('for-ever', input())
