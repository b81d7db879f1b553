from adding.pair import add

print(add(*map(int, input().split())))
