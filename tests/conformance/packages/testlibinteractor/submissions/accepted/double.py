# Answers each number with its double until there is a 0.
while number := int(input()):
    print(2 * number, flush=True)
