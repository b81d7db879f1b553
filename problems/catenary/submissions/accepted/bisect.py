from math import sinh, tanh


def solve(ratio):
    """The x > 0 with sinh(x) / x = ratio."""
    low, high = 0.0, 20.0
    for _ in range(64):
        middle = (low + high) / 2
        if sinh(middle) < ratio * middle:
            low = middle
        else:
            high = middle
    return low


for _ in range(int(input())):
    gap, length = map(int, input().split())
    print(length / 2 * tanh(solve(length / gap) / 2))
