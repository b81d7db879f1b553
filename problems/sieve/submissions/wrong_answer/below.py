# Counts the primes below n instead of those up to n.
bound = int(input())
flags = bytearray(b"\1") * bound
flags[:2] = bytes(min(bound, 2))
for number in range(2, int(bound**0.5) + 1):
    if number * number < bound and flags[number]:
        flags[number * number :: number] = bytes(len(range(number * number, bound, number)))
print(flags.count(1))
