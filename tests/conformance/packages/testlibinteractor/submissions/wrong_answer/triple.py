# Answers with something else.
while number := int(input()):
    print(3 * number, flush=True)
