# Lets the lead down metre by metre: too many soundings.
bound, soundings = map(int, input().split())
for depth in range(1, bound + 1):
    print(depth, flush=True)
    try:
        answer = input()
    except EOFError:
        break
    if answer == "touched":
        break
