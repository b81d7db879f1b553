# Slices of a bytearray leave the inner loop to the interpreter's own code; odd numbers only.
bound = int(input())
size = (bound + 1) // 2
flags = bytearray(b"\1") * size
if size:
    flags[0] = bound >= 2  # stands for 2, as 1 is no prime
for index in range(1, (int(bound**0.5) + 1) // 2):
    if flags[index]:
        number = 2 * index + 1
        first = number * number // 2
        flags[first::number] = bytes(len(range(first, size, number)))
print(flags.count(1))
