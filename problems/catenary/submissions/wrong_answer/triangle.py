# Takes the chain for two straight rods. Nearly right only for very slack chains.
from math import sqrt

for _ in range(int(input())):
    gap, length = map(int, input().split())
    print(sqrt(length**2 - gap**2) / 2)
