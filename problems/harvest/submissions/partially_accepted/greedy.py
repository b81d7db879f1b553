# @EXPECTED_SCORE@: 40
# The heaviest free tree first: right when the weights fall, fooled by a heavy tree
# between two nearly as heavy.
trees = int(input())
weights = list(map(int, input().split()))
blocked = [False] * (trees + 2)
total = 0
for tree in sorted(range(trees), key=lambda tree: -weights[tree]):
    if not blocked[tree + 1]:
        total += weights[tree]
        blocked[tree] = blocked[tree + 1] = blocked[tree + 2] = True
print(total)
