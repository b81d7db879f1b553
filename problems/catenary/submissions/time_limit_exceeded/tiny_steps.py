# Walks towards the answer in steps of 1e-12: years.
from math import sinh, tanh

for _ in range(int(input())):
    gap, length = map(int, input().split())
    x = 1e-12
    while sinh(x) * gap < length * x:
        x += 1e-12
    print(length / 2 * tanh(x / 2))
