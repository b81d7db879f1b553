# Everything is right: the points of both groups.
number = int(input())
print(number)
