# Sounds the bottom of the sky.
bound = int(input().split()[0])
print(-bound, flush=True)
try:
    input()
except EOFError:
    pass
