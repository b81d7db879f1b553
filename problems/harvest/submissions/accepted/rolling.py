input()
with_last, without_last = 0, 0
for weight in map(int, input().split()):
    with_last, without_last = without_last + weight, max(with_last, without_last)
print(max(with_last, without_last))
