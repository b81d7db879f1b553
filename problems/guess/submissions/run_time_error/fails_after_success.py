# Touches the wreck within the soundings, then ends with exit code 3.
import sys

low, high = 1, int(input().split()[0])
while True:
    depth = (low + high) // 2
    print(depth, flush=True)
    answer = input()
    if answer == "touched":
        sys.exit(3)
    if answer == "deeper":
        low = depth + 1
    else:
        high = depth - 1
