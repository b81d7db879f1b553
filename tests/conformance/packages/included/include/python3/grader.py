# Sorts before the submission, and is not the program.
def step(number):
    return number + 1
