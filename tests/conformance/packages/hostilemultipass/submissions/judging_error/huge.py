# The next input is larger than a validator may write.
print('huge', input())
