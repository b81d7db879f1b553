# Asks for another pass and rejects.
print('next-and-reject', input())
