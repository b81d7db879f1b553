# Rejected in the second pass.
print('reject-second', input())
