# Asks for another pass and crashes.
print('next-and-crash', input())
