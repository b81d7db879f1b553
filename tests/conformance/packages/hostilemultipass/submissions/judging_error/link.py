# The next input is a link to the answer.
print('link', input())
