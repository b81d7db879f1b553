# Splits at a third: sounds well, needs more soundings than halving when the diver is unkind.
low, high = 1, int(input().split()[0])
while low <= high:
    depth = low + (high - low) // 3
    print(depth, flush=True)
    try:
        answer = input()
    except EOFError:
        break
    if answer == "touched":
        break
    if answer == "deeper":
        low = depth + 1
    else:
        high = depth - 1
