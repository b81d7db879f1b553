# The submission loops in the second pass; the limit is for each pass.
number = input()
print("submission", number)
while number != "1":
    pass
