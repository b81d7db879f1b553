# The right method, but four decimals are too few for sags of a few centimetres.
from math import sinh, tanh

for _ in range(int(input())):
    gap, length = map(int, input().split())
    low, high = 0.0, 20.0
    for _ in range(64):
        middle = (low + high) / 2
        if sinh(middle) < length / gap * middle:
            low = middle
        else:
            high = middle
    print(f"{length / 2 * tanh(low / 2):.4f}")
