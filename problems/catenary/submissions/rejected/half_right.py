# Wrong for taut chains, dies for very slack ones.
for _ in range(int(input())):
    gap, length = map(int, input().split())
    print(gap / (length // gap == 1) / 2)
