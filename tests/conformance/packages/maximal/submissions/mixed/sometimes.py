number = int(input())
# Wrong on the first case, and slow on the last one.
while number < 0:
    pass
print("seven")
