# Recursion without end: the interpreter gives up by itself.
def descend(depth):
    return descend(depth + 1) + 1


print(descend(0))
