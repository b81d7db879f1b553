# The validator crashes in the second pass.
print('crash-second', input())
