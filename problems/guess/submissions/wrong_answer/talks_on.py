# Touches the wreck, then says one line more.
low, high = 1, int(input().split()[0])
while True:
    depth = (low + high) // 2
    print(depth, flush=True)
    answer = input()
    if answer == "touched":
        break
    if answer == "deeper":
        low = depth + 1
    else:
        high = depth - 1
print(depth, flush=True)
