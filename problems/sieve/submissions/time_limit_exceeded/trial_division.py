# Divides by every smaller number: years for the larger bounds.
bound = int(input())
print(sum(all(number % divisor for divisor in range(2, number)) for number in range(2, bound + 1)))
