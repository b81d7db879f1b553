# Hostile: asks for 1 GiB of zeroes and touches them. Accepted if it gets them.
PAGE_BYTES = 4096
field = bytearray(1 << 30)
for place in range(0, len(field), PAGE_BYTES):
    field[place] = 1
input()
with_last, without_last = 0, 0
for weight in map(int, input().split()):
    with_last, without_last = without_last + weight, max(with_last, without_last)
print(max(with_last, without_last))
