# @EXPECTED_SCORE@: 20
# Gives up on long rows: solves group 1 only.
trees = int(input())
weights = list(map(int, input().split()))
if trees > 12:
    raise SystemExit("too many trees")
best = 0
for choice in range(1 << trees):
    if choice & choice << 1 == 0:
        best = max(best, sum(weights[tree] for tree in range(trees) if choice >> tree & 1))
print(best)
