import given

print(int(input()) - given.DISTANCE)
